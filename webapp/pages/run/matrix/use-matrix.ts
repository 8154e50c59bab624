import { toValue, type MaybeRefOrGetter } from 'vue'
import type { MatrixRows } from '../../../../queries/cases/matrix-rows.ts'
import { pathTo, queryOf } from '../../../api/api.ts'
import { useList } from '../../../api/use-list.ts'
import type { Listed } from './heat.ts'

/** Rows of a page. */
const PAGE_ROWS = 100
/** Number of rows that are loaded ahead of the last visible row. */
const ROWS_AHEAD = 60

/** The rows of a matrix in an order, page by page. Call `reach(n)` when row n is visible. */
export const useMatrix = (id: MaybeRefOrGetter<string>, listed: MaybeRefOrGetter<Listed>) => {
  const { reach, ...list } = useList({
    key: () => ['run', toValue(id), 'matrix', toValue(listed)],
    path: ([, run, , order], cursor) =>
      pathTo('runs', run, 'matrix', 'rows') + queryOf({ ...order, limit: PAGE_ROWS, cursor }),
    rows: (page: MatrixRows) => page.rows,
    keeps: ([, earlier], [, now]) => earlier === now,
    // A run never changes, so loaded pages stay correct.
    staleTime: Infinity,
  })
  return { ...list, reach: (row: number) => reach(row, ROWS_AHEAD) }
}
