import type { RunList, RunListItem } from '../../../queries/runs/run-list.ts'

/**
 * The number of runs that are new in the shown part of the list. `later` is the first page, requested again after the
 * shown runs. `hasMore`: the list continues after the shown runs, so older runs are not counted.
 */
export const countNew = (shown: readonly RunListItem[], later: RunList, hasMore: boolean): number => {
  const shownIds = new Set(shown.map(({ id }) => id))
  const oldest = hasMore ? Date.parse(shown.at(-1)?.created_at ?? '') : -Infinity
  return later.runs.filter(({ id, created_at }) => !shownIds.has(id) && Date.parse(created_at) >= oldest).length
}
