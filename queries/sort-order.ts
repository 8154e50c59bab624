import { sql, type Fragment } from '../storage/sql.ts'

// Lists that are sorted by a value which rows may lack. Rows without the value are last in both directions. Rows with
// the same value keep the default order of the list.

export const ORDERS = ['asc', 'desc'] as const
export type Direction = (typeof ORDERS)[number]

/** The order of a list of which `sort` names the value. */
export type SortOrder<Sort extends string> = { readonly sort: Sort; readonly order: Direction }

/** ORDER BY terms for a value. The default order must follow. */
export const sortedBy = (value: Fragment, order: Direction): Fragment =>
  order === 'asc' ? sql.fragment`${value} ASC NULLS LAST` : sql.fragment`${value} DESC NULLS LAST`

/**
 * Selects the rows after a row of which the value is known. `later` selects the rows that follow it in the default order
 * of the list.
 */
export const after = (value: Fragment, order: Direction, last: Fragment | null, later: Fragment): Fragment => {
  if (last === null) return sql.fragment`(${value} IS NULL AND ${later})`
  const beyond = order === 'asc' ? sql.fragment`>` : sql.fragment`<`
  return sql.fragment`(${value} IS NULL OR ${value} ${beyond} ${last} OR (${value} = ${last} AND ${later}))`
}
