import { CASE_SORTS, comparePositions, sortedCasePosition, type CaseSort } from '../../domain/lists/case-order.ts'
import { matchesCase, type CaseFacets } from '../../domain/lists/case-filters.ts'
import { likeSubstring } from '../../domain/search/like.ts'
import type { CaseList } from '../../queries/cases/cases.ts'
import type { CaseRows } from '../../queries/cases/case-rows.ts'
import type { SharedRow, SharedRun } from '../../queries/share/shared-file.ts'
import { parseShown } from '../text/exact-json.ts'
import { readAllCases } from './data.ts'

// The lists of cases that the service returns, from the rows in the file.

const numberIn = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name)
  return text === null ? undefined : Number(text)
}

const filtersIn = (query: URLSearchParams): CaseFacets => {
  const text = (name: string): string | undefined => query.get(name) ?? undefined
  const cached = text('cached')
  return {
    status: text('status'),
    tag: text('tag'),
    provider: text('provider'),
    prompt: text('prompt'),
    test: text('test'),
    stop_reason: text('stop_reason'),
    error_class: text('error_class'),
    empty_reason: text('empty_reason'),
    cached: cached === undefined ? undefined : cached === 'true',
    score_from: numberIn(query, 'score_from'),
    score_below: numberIn(query, 'score_below'),
    latency_from: numberIn(query, 'latency_from'),
    latency_below: numberIn(query, 'latency_below'),
  }
}

/** The text in which a search looks: the whole name, then the output as text. */
const searchedTexts = (text: string): readonly string[] => {
  const { name, output } = parseShown(text) as { readonly name?: unknown; readonly output?: unknown }
  return [
    ...(typeof name === 'string' ? [name] : []),
    ...(typeof output === 'string'
      ? [output]
      : output === undefined || output === null
        ? []
        : [JSON.stringify(output)]),
  ]
}

/** The places of the rows that match the filters of a query, in its order. */
const placesOf = async (run: number, shared: SharedRun, query: URLSearchParams): Promise<readonly number[]> => {
  const filters = filtersIn(query)
  const found = shared.rows.flatMap((row, place) =>
    matchesCase(filters, { ...row, empty_reason: row.empty_reason ?? null }) ? [place] : [],
  )
  const sort: CaseSort = CASE_SORTS.find((name) => name === query.get('sort')) ?? 'document'
  const order = { sort, order: query.get('order') === 'desc' ? 'desc' : 'asc' } as const
  const words = query.get('q')
  const matches = words === null ? null : likeSubstring(words)
  const texts = matches ? await readAllCases(run, shared) : []
  const matching = matches
    ? found.filter((place) => searchedTexts(texts[place] ?? '{}').some((text) => matches(text)))
    : found
  const compare = comparePositions(order)
  return matching
    .flatMap((place) => {
      const row = shared.rows[place]
      return row ? [{ place, ...sortedCasePosition(order, { ...row, n: row.idx, cost_micro: row.cost_usd }) }] : []
    })
    .sort(compare)
    .map(({ place }) => place)
}

const rowsAt = ({ rows }: SharedRun, places: readonly number[]): SharedRow[] =>
  places.flatMap((place) => rows[place] ?? [])

const MAX_ROWS = 200

/** `GET /runs/{id}/case-rows` */
export const caseRows = async (run: number, shared: SharedRun, query: URLSearchParams): Promise<CaseRows> => {
  const places = await placesOf(run, shared, query)
  const limit = numberIn(query, 'limit') ?? MAX_ROWS
  const around = query.get('around')
  const wanted = around === null ? -1 : shared.rows.findIndex(({ case_key }) => case_key === around)
  const at = wanted < 0 ? -1 : places.indexOf(wanted)
  const offset = at < 0 ? (numberIn(query, 'offset') ?? 0) : at - (at % limit)
  return {
    total: places.length,
    offset,
    place: at < 0 ? null : at,
    rows: rowsAt(shared, places.slice(offset, offset + limit)),
  }
}

/** `GET /runs/{id}/cases` in the order of the document. A cursor is the index of the last case. */
export const caseList = async (run: number, shared: SharedRun, query: URLSearchParams): Promise<CaseList> => {
  const places = await placesOf(run, shared, query)
  const after = numberIn(query, 'cursor') ?? -1
  const limit = numberIn(query, 'limit') ?? MAX_ROWS
  const rest = rowsAt(shared, places).filter(({ idx }) => idx > after)
  const cases = rest.slice(0, limit)
  return { cases, next_cursor: rest.length > limit ? String(cases.at(-1)?.idx) : null }
}
