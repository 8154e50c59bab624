import { CHANGES, isLost, matchesFilter, type Change, type ChangeFilter } from '../../domain/lists/changes.ts'
import { comparedMatcher, sortCompared, type ComparedValues } from '../../domain/lists/compared-list.ts'
import { COMPARED_SORTS } from '../../domain/lists/compared-sorts.ts'
import { rangeIn, rowsIn, type MatrixSort } from '../../domain/lists/matrix-order.ts'
import type { SharedFilePart } from '../../domain/report/shared-parts.ts'
import { MATRIX_VALUES } from '../../domain/run/matrix-values.ts'
import type { CaseFieldsView } from '../../queries/cases/case-fields.ts'
import type { MatrixRows } from '../../queries/cases/matrix-rows.ts'
import type { CommentList } from '../../queries/runs/comments.ts'
import type { SharedComparison, SharedFile, SharedRun } from '../../queries/share/shared-file.ts'
import type { ComparedCases } from '../../queries/statistics/compared-cases.ts'
import type { request as requestFromServer } from '../api/request.ts'
import { caseList, caseRows } from './case-lists.ts'
import { bytesIn, findRun, partIn, readCase, readFile, readParts } from './data.ts'

// Answers the requests of the app's pages from the data in the file. Nothing is sent.

const missing = (): Response => Response.json({ error: 'it is not in this file' }, { status: 404 })

/** `GET /runs/{id}/matrix/rows` */
const matrixRows = ({ run, matrix }: SharedRun, query: URLSearchParams): MatrixRows => {
  const order = Float64Array.from(matrix.order, (number) => number ?? NaN)
  const value = MATRIX_VALUES.find((name) => name === query.get('value')) ?? 'score'
  const sort = (query.get('sort') ?? 'document') as MatrixSort
  const numbers = rowsIn(order, { value, sort, only: query.get('only') === 'disagree' ? 'disagree' : undefined })
  const places = new Map(rowsIn(order, { value, sort: 'document' }).map((n, place) => [n, place]))
  const start = Number(query.get('cursor') ?? 0)
  const end = start + Number(query.get('limit') ?? 100)
  const at = MATRIX_VALUES.indexOf(value)
  return {
    run_id: run.id,
    value,
    row_count: numbers.length,
    range: rangeIn(order, value),
    rows: numbers.slice(start, end).flatMap((n) => {
      const row = matrix.rows[places.get(n) ?? -1]
      if (!row) return []
      const cells = row.cells.map((cell) => cell && { ...cell, value: cell.values[at] ?? null })
      const known = cells.flatMap((cell) => cell?.value ?? [])
      const mean = known.length === 0 ? null : known.reduce((sum, number) => sum + number, 0) / known.length
      return [{ test_id: row.test_id, name: row.name, mean, cells }]
    }),
    next_cursor: end < numbers.length ? String(end) : null,
  }
}

type Pair = ComparedCases['cases'][number]

const pairValues = ({ provider_id, prompt_id, flips, ...pair }: Pair): ComparedValues => ({
  ...pair,
  providers: provider_id === null ? [] : [provider_id],
  prompts: prompt_id === null ? [] : [prompt_id],
  flips: flips.length,
})

const isFlipped = ({ change, flips }: Pair): boolean =>
  flips.length > 0 && (change === 'still_passing' || change === 'still_failing')

const isLostPair = ({ base, head }: Pair): boolean => isLost(base?.status, head?.status)

const countsOf = (pairs: readonly Pair[]): ComparedCases['counts'] => ({
  ...(Object.fromEntries(
    CHANGES.map((change) => [change, pairs.filter((pair) => pair.change === change).length]),
  ) as Record<Change, number>),
  lost: pairs.filter(isLostPair).length,
  flipped: pairs.filter(isFlipped).length,
  all: pairs.length,
})

/** `GET /runs/{id}/compare/{other}/cases` */
const comparedCases = ({ cases: all }: SharedComparison, query: URLSearchParams): ComparedCases => {
  const filter = (query.get('filter') ?? 'all') as ChangeFilter
  const text = (name: string): string | undefined => query.get(name) ?? undefined
  const matches = comparedMatcher({ q: text('q'), tag: text('tag'), provider: text('provider') })
  const matching = all.cases.filter((pair) => matches(pairValues(pair)))
  const sort = COMPARED_SORTS.find((name) => name === query.get('sort')) ?? 'change'
  const wanted = sortCompared(
    matching.filter((pair) =>
      matchesFilter(filter, { change: pair.change, isLost: isLostPair(pair), isFlipped: isFlipped(pair) }),
    ),
    { sort, order: query.get('order') === 'desc' ? 'desc' : 'asc' },
    pairValues,
  )
  const start = Number(query.get('cursor') ?? 0)
  const end = start + Number(query.get('limit') ?? 100)
  const key = query.get('case')
  return {
    ...all,
    counts: countsOf(matching),
    linked:
      key === null
        ? null
        : (all.cases.find(({ base, head }) => [base?.case_key, head?.case_key].includes(key)) ?? null),
    cases: wanted.slice(start, end),
    next_cursor: end < wanted.length ? String(end) : null,
  }
}

const ofComparison = async (
  { runs, comparisons }: SharedFile,
  { base, head, what }: { readonly base: string; readonly head: string; readonly what: string },
  query: URLSearchParams,
): Promise<Response> => {
  const comparison = comparisons.find(
    (each) =>
      each.base === base &&
      each.head === head &&
      each.base_column === query.get('base_column') &&
      each.head_column === query.get('head_column'),
  )
  if (!comparison) return missing()
  if (what === 'statistics') return Response.json(comparison.statistics)
  if (what === 'cases') return Response.json(comparedCases(comparison, query))
  if (what === 'groups') return Response.json(comparison.groups)
  if (what === 'nearest') return Response.json({ nearest: null, others: null })
  if (what !== 'config') return missing()
  const texts = [base, head].map((id) => runs.find(({ run }) => run.id === id)?.config ?? null)
  // As texts, because numbers keep all their digits.
  return texts.includes(null) ? missing() : new Response(`{"base":${texts[0]},"head":${texts[1]}}`)
}

const commentsOn = ({ comments }: SharedRun, key: string | null): SharedRun['comments'] =>
  key === null ? comments : comments.filter(({ case_key }) => case_key === key)

/** `GET /runs/{id}/comments`, all on one page */
const commentList = (shared: SharedRun, query: URLSearchParams): CommentList => {
  const rows = new Map(shared.rows.map((row) => [row.case_key, row]))
  const found = commentsOn(shared, query.get('case'))
  return {
    comments: found.map((comment, n) => {
      const row = rows.get(comment.case_key ?? '')
      return { id: String(n), ...comment, case_name: row?.name ?? row?.test_id ?? null, by: null, may_delete: false }
    }),
    total: found.length,
    next_cursor: null,
  }
}

const NO_FIELDS = (run_id: string): CaseFieldsView => ({ run_id, fields: [], groups: null, group_count: 0 })

/** `GET /runs/{id}/parts/{sha256}` */
const partOf = (parts: readonly SharedFilePart[], sha256: string | undefined): Response => {
  const part = parts.find((each) => each.sha256 === sha256)
  const base64 = part && partIn(part.sha256)
  if (!base64) return missing()
  return new Response(bytesIn(base64), { headers: { 'content-type': part.type } })
}

/** A case as the service shows it, which counts its parts. No link leads to the page of transcripts, which is not in the file. */
const withEvidence = (text: string, parts: readonly SharedFilePart[]): string => {
  const evidence = { parts: parts.length, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0), transcripts: 0 }
  return `${text.slice(0, -1)},"evidence":${JSON.stringify(evidence)}}`
}

const ofRun = async (id: string, [what, key, more]: readonly string[], query: URLSearchParams): Promise<Response> => {
  const found = await findRun(id)
  if (!found) return missing()
  const { shared, place } = found
  // The page asks of the judge of a run that has judges.
  if (what === 'in-suite') return Response.json({ ...shared.run, ...(shared.calibration && { judges: [] }) })
  if (what === 'comments') return Response.json(commentList(shared, query))
  if (what === 'distribution')
    return key === undefined ? Response.json(shared.distribution) : Response.json(await caseList(place, shared, query))
  // The rows of a file have no variables and assertions, so there is nothing more to show or to group by.
  if (what === 'case-fields' && !query.has('by')) return Response.json(NO_FIELDS(id))
  if (what === 'case-rows') return Response.json(await caseRows(place, shared, query))
  if (what === 'matrix') return Response.json(matrixRows(shared, query))
  if (what === 'leaderboard') {
    const board = shared.leaderboards.find(({ by }) => by === (query.get('by') ?? 'column'))
    return board ? Response.json(board) : missing()
  }
  if (what === 'parts') return partOf(await readParts(place), key)
  if (what !== 'cases') return missing()
  if (key === undefined) return Response.json(await caseList(place, shared, query))
  const row = shared.rows.findIndex(({ case_key }) => case_key === key)
  const text = row < 0 ? null : await readCase(place, shared, row)
  if (text === null) return missing()
  const parts = (await readParts(place)).filter(({ case_key }) => case_key === key)
  if (more === 'parts') return Response.json({ parts })
  const detail = parts.length === 0 ? text : withEvidence(text, parts)
  if (more === undefined) return new Response(detail)
  const test = await caseList(
    place,
    shared,
    new URLSearchParams({ test: shared.rows[row]?.test_id ?? '', limit: '200' }),
  )
  return new Response(
    `{"case":${detail},"test":${JSON.stringify(test)},"history":null,"runs":null,"comments":${commentsOn(shared, key).length}}`,
  )
}

/** There is no session, and nothing can be changed. */
const SESSION: Readonly<Record<string, unknown>> = {
  '/auth/me': { authenticated: false, user: null, scope: null, source: null },
  '/meta': { auth_mode: 'closed', setup_required: false },
}

/** Answers a request from the data in the file. Rejects with `NoData` if they are damaged. */
export const request: typeof requestFromServer = async (path) => {
  const [address = '', query = ''] = path.split('?', 2)
  const session = SESSION[address]
  if (session) return Response.json(session)
  const [, room, id, ...rest] = address.split('/').map(decodeURIComponent)
  if (room !== 'runs' || id === undefined) return missing()
  const [what, other, part] = rest
  return what === 'compare'
    ? ofComparison(await readFile(), { base: id, head: other ?? '', what: part ?? '' }, new URLSearchParams(query))
    : ofRun(id, rest, new URLSearchParams(query))
}
