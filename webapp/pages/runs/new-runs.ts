import type { RunList, RunListItem } from '../../../queries/runs/run-list.ts'

/**
 * How many runs of a first page asked for later are not among those shown, where the list shown would have them.
 * `more`: there are older ones than those shown.
 */
export const countNew = (shown: readonly RunListItem[], later: RunList, more: boolean): number => {
  const known = new Set(shown.map(({ id }) => id))
  const oldest = more ? Date.parse(shown.at(-1)?.created_at ?? '') : -Infinity
  return later.runs.filter(({ id, created_at }) => !known.has(id) && Date.parse(created_at) >= oldest).length
}
