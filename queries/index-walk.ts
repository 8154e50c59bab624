import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { sql, type Fragment } from '../storage/sql.ts'

// A long list has one order, and an index in that order for each filter. With one filter, the list is a range of its
// index. With several filters, one leads: its index gives the order, and the others are checked row by row. The rarest
// filter leads, because it leaves the fewest rows to check. It is the filter whose next N rows reach furthest down the
// list.
//
// The cache list does not use this walk: it knows how many entries a filter matches before it reads them. If they are
// few, it sorts them itself, which is faster there.

/** Wraps a condition as `(…) IS TRUE`, for which neither database chooses an index. */
export const unindexed = (condition: Fragment): Fragment => sql.fragment`((${condition}) IS TRUE)`

/** Rows that the first step reads of each filter. Each later step doubles the number, so that few steps suffice. */
const FIRST_STEP = 500

/**
 * A walk over filters that must all match. A step excludes the row at its start position and includes the row at its
 * end position.
 */
type Walk<Filter, Position, Row> = {
  /** The filters that may lead. */
  readonly leads: readonly Filter[]
  /** Where the walk starts; null is the first row. */
  readonly from: Position | null
  readonly limit: number
  /** Rows that a step reads of each filter at most, so that no step holds a thread for long. */
  readonly maxStep: number
  /** For each filter, the position of its row number `count` after `from`; null if it has fewer rows. */
  readonly endsOf: (filters: readonly Filter[], from: Position | null, count: number) => Promise<Array<Position | null>>
  /** Whether the first position is further down the list than the second. */
  readonly isFurther: (a: Position, b: Position) => boolean
  /** The first rows between two positions that all filters match, in the order of the lead; null is the end. */
  readonly rowsOf: (
    lead: Filter,
    filters: readonly Filter[],
    bounds: { readonly from: Position | null; readonly to: Position | null },
    limit: number,
  ) => Promise<Row[]>
  /** Returns the filters for all further steps. Called once, if the first step does not fill the page. */
  readonly afterFirstStep?: (filters: readonly Filter[]) => Promise<readonly Filter[]>
}

/** The first `limit` rows of a walk. Each step chooses its lead again. */
export const walkIndexes = async <Filter, Position, Row>({
  leads,
  from,
  limit,
  maxStep,
  endsOf,
  isFurther,
  rowsOf,
  afterFirstStep,
}: Walk<Filter, Position, Row>): Promise<Row[]> => {
  let filters = leads
  let start = from
  const found: Row[] = []
  for (let step = FIRST_STEP; ; step = Math.min(step * 2, maxStep)) {
    const ends = (await endsOf(filters, start, step)).map((end, i) => ({ end, filter: filters[i] }))
    const rarest = ends.reduce((best, next) =>
      best.end !== null && (next.end === null || isFurther(next.end, best.end)) ? next : best,
    )
    if (!rarest.filter) throw new Error('a walk has an end for each filter')
    const rows = await rowsOf(rarest.filter, filters, { from: start, to: rarest.end }, limit - found.length)
    found.push(...rows)
    if (rarest.end === null || found.length === limit) return found
    start = rarest.end
    if (step === FIRST_STEP && afterFirstStep) filters = await afterFirstStep(filters)
    await yieldToEventLoop()
  }
}
