import { toValue, type MaybeRefOrGetter } from 'vue'
import type { ManyRuns } from '../../../../queries/statistics/many-runs.ts'
import { queryOf } from '../../../api/api.ts'
import { useList } from '../../../api/use-list.ts'
import { runsText } from '../../../runs/compared-runs.ts'

/** Rows of one page. */
const PAGE_ROWS = 200

type Asked = { readonly runs: readonly string[]; readonly base: string; readonly filter: string }

/** Several runs against one base, with their cases page by page. */
export const useMany = (asked: MaybeRefOrGetter<Asked>) => {
  const { reach, ...list } = useList({
    key: () => ['compare-many', toValue(asked)],
    path: ([, { runs, base, filter }], cursor) =>
      `/compare${queryOf({ runs: runsText(runs), base, filter, limit: PAGE_ROWS, cursor })}`,
    rows: (page: ManyRuns) => page.rows,
    keeps: ([, earlier], [, now]) => earlier.runs.join() === now.runs.join(),
    enabled: () => toValue(asked).runs.length > 0,
    staleTime: Infinity,
  })
  return { ...list, comparison: list.first, reach: (row: number) => reach(row, PAGE_ROWS) }
}
