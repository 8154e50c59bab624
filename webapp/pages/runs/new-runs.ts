import type { RunList, RunListItem } from '../../../queries/runs/run-list.ts'

/**
 * The number of runs on a later first page that belong to the shown part of the list but are not shown. `hasMore`: the
 * list continues after the shown runs.
 */
export const countNew = (shown: readonly RunListItem[], later: RunList, hasMore: boolean): number => {
  const shownIds = new Set(shown.map(({ id }) => id))
  const oldest = hasMore ? Date.parse(shown.at(-1)?.created_at ?? '') : -Infinity
  return later.runs.filter(({ id, created_at }) => !shownIds.has(id) && Date.parse(created_at) >= oldest).length
}
