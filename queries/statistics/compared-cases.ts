import { z } from 'zod'
import { CHANGES, matchesFilter, type Change, type ChangeFilter } from '../../domain/lists/changes.ts'
import {
  comparedMatcher,
  sortCompared,
  type ComparedFilters,
  type ComparedValues,
} from '../../domain/lists/compared-list.ts'
import type { ComparedSort } from '../../domain/lists/compared-sorts.ts'
import { historyKey } from '../../domain/run/history-key.ts'
import { CaseRow } from '../../domain/run/case-columns.ts'
import { assertNames, type CaseFields } from '../../domain/run/case-fields.ts'
import { CASE_STATUSES } from '../../domain/run/document.ts'
import { tagsIn } from '../../domain/run/tags.ts'
import { pairAsserts } from '../../domain/statistics/pair-asserts.ts'
import { JOINS } from '../../domain/statistics/pairing.ts'
import { page, usd } from '../../domain/wire.ts'
import { any, constant, maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { columnList } from '../columns.ts'
import { findRun, type Run } from '../runs/run.ts'
import { ABSENT, joinOf, orderedPairs, type ComparedOrder, type OrderedPair } from './compared-order.ts'
import { OutcomeRow } from './outcomes.ts'
import { MEASURES } from './run-statistics.ts'

const count = z.number().int()
const text = z.string().nullable()
const number = z.number().nullable()

/** A case of one of the compared runs. */
export const ComparedCell = z.object({
  case_key: z.string(),
  status: z.enum(CASE_STATUSES),
  score: number,
  latency_ms: count.nullable(),
  output_tokens: count.nullable(),
  cost_usd: number,
})

const Row = z.object({
  change: z.enum(CHANGES),
  name: text,
  test_id: text,
  /** Null if the runs have different ones. */
  provider_id: text,
  prompt_id: text,
  repeat: count.nullable(),
  tags: z.array(z.string()),
  base: ComparedCell.nullable(),
  head: ComparedCell.nullable(),
  /** Null unless both runs have the case. */
  output_changed: z.boolean().nullable(),
  /** Assertions with another verdict, in the order of the base. */
  flips: z.array(
    z.object({
      label: z.string(),
      kind: z.string(),
      /** Its name or metric, with its judge. Null if it has nothing but its kind. */
      name: text,
      base_passed: z.boolean(),
      base_score: z.number(),
      head_score: z.number(),
    }),
  ),
})

/** The cases of two runs in pairs, grouped by what happened to them. */
export const ComparedCases = z
  .object({
    base: z.string(),
    head: z.string(),
    joined_by: z.enum(JOINS),
    /** Cases by what happened to them, whatever the filter by change; of those that the other filters list. */
    counts: z.object({
      ...(Object.fromEntries(CHANGES.map((change) => [change, count])) as Record<Change, typeof count>),
      lost: count,
      flipped: count,
      all: count,
    }),
    /** The case that was asked for, even if the filter hides it. */
    linked: Row.nullable(),
    cases: z.array(Row),
    next_cursor: text,
  })
  .meta({ id: 'ComparedCases' })
export type ComparedCases = z.infer<typeof ComparedCases>

const Shown = OutcomeRow.extend(
  CaseRow.pick({ name: true, tags: true, asserts: true, fields: true, output_hash: true }).shape,
)
type Shown = z.infer<typeof Shown>

/** Maximum number of pairs of a page. */
const MAX_PAIRS = 500

/** The cases of a page. Their number is fixed, so that all such queries share one prepared text. */
const listShown = (run_no: number, numbers: readonly number[]): Query<Shown[]> => {
  const present = numbers.filter((n) => n !== ABSENT)
  // One more for the case that is asked for by its key.
  const padded = Array.from({ length: MAX_PAIRS + 1 }, (_, i) => present[i] ?? ABSENT)
  return present.length === 0
    ? constant([])
    : any(sql.type(Shown)`
        SELECT ${columnList('cases', Shown)} FROM cases
        WHERE run_no = ${run_no} AND n IN (${sql.join(padded, sql.fragment`, `)})`)
}

const Place = CaseRow.pick({ n: true })

/** The number of a case in its run, by its key. */
const findPlace = ({ run_no, project, suite, created_at }: Run, case_key: string) =>
  maybeOne(sql.type(Place)`
    SELECT n FROM cases
    WHERE history_key = ${historyKey(project, suite, case_key)} AND created_at = ${created_at} AND run_no = ${run_no} AND case_key = ${case_key}`)

/** The pair with the case of this key in either run; the first in the join if there are two. */
const findLinked = async (
  reader: Reader,
  { base, head }: { readonly base: Run; readonly head: Run },
  pairs: readonly OrderedPair[],
  case_key: string | undefined,
): Promise<OrderedPair | null> => {
  if (case_key === undefined) return null
  const { before, after } = await reader.readAll({
    before: findPlace(base, case_key),
    after: findPlace(head, case_key),
  })
  return pairs.reduce<OrderedPair | null>((first, pair) => {
    const isNamed = (before !== null && pair.base === before.n) || (after !== null && pair.head === after.n)
    return isNamed && (first === null || pair.at < first.at) ? pair : first
  }, null)
}

const isSameHash = (one: Buffer | null, other: Buffer | null): boolean =>
  one === null || other === null ? one === other : one.equals(other)

/** The assertions whose verdict flipped, with the names that they have in the base. */
const assertFlips = (base: Shown, head: Shown): z.infer<typeof Row>['flips'] => {
  const flipped = pairAsserts(base.asserts, head.asserts).filter(([before, after]) => before.passed !== after.passed)
  if (flipped.length === 0) return []
  const names = assertNames(base.asserts.length, base.fields)
  return flipped.map(([before, after]) => ({
    label: before.label,
    kind: before.kind,
    name: names?.[base.asserts.indexOf(before)] ?? null,
    base_passed: before.passed,
    base_score: before.score,
    head_score: after.score,
  }))
}

const cellView = (shown: Shown | null): z.infer<typeof ComparedCell> | null =>
  shown && {
    case_key: shown.case_key,
    status: shown.status,
    score: shown.score,
    latency_ms: MEASURES.latency_ms(shown),
    output_tokens: MEASURES.output_tokens(shown),
    cost_usd: usd(shown.cost_micro),
  }

const rowView = (change: Change, base: Shown | null, head: Shown | null): z.infer<typeof Row> => {
  const common = (of: (shown: Shown) => string | null): string | null => {
    const values = new Set([base, head].flatMap((shown) => (shown ? [of(shown)] : [])))
    return values.size === 1 ? ([...values][0] ?? null) : null
  }
  const either = base ?? head
  return {
    change,
    name: base?.name ?? head?.name ?? null,
    test_id: either?.test_id ?? null,
    provider_id: common(({ provider_id }) => provider_id),
    prompt_id: common(({ prompt_id }) => prompt_id),
    repeat: either?.repeat ?? null,
    tags: [...tagsIn(either?.tags ?? null)],
    base: cellView(base),
    head: cellView(head),
    output_changed: base && head ? !isSameHash(base.output_hash, head.output_hash) : null,
    flips: base && head ? assertFlips(base, head) : [],
  }
}

const changeCounts = (pairs: readonly OrderedPair[]): ComparedCases['counts'] => {
  const counts = Object.fromEntries(CHANGES.map((change) => [change, 0])) as Record<Change, number>
  for (const { change } of pairs) counts[change]++
  return {
    ...counts,
    lost: pairs.filter(({ isLost }) => isLost).length,
    flipped: pairs.filter(({ isFlipped }) => isFlipped).length,
    all: pairs.length,
  }
}

const Light = CaseRow.pick({
  n: true,
  name: true,
  test_id: true,
  tags: true,
  provider_id: true,
  prompt_id: true,
  score: true,
  latency_ms: true,
  completion_tokens: true,
})
const Judged = Light.extend(CaseRow.pick({ asserts: true }).shape)
const Fielded = Light.extend(CaseRow.pick({ fields: true }).shape)
const Whole = Judged.extend(Fielded.shape)
type Light = z.infer<typeof Light> & Partial<Pick<z.infer<typeof Whole>, 'asserts' | 'fields'>>
/** What some filters and orders need of a case, beyond its light columns. */
type Needs = { readonly asserts: boolean; readonly fields: boolean }

/** Rows that one query reads. */
const ROWS_PER_QUERY = 5_000

const listLight = (run_no: number, after: number, needs: Needs): Query<Light[]> => {
  const from = sql.fragment`FROM cases WHERE run_no = ${run_no} AND n > ${after} ORDER BY n LIMIT ${ROWS_PER_QUERY}`
  const columns = needs.fields ? (needs.asserts ? Whole : Fielded) : needs.asserts ? Judged : Light
  return any(sql.type(columns)`SELECT ${columnList('cases', columns)} ${from}`)
}

/** All cases of a run by their numbers, with what filters and orders need of them. */
const readLight = async (reader: Reader, run_no: number, needs: Needs): Promise<ReadonlyMap<number, Light>> => {
  const found = new Map<number, Light>()
  for (let after = -1; ;) {
    const rows = await reader.read(listLight(run_no, after, needs))
    for (const row of rows) found.set(row.n, row)
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_QUERY) return found
    after = last.n
  }
}

const lightCell = (light: Light | undefined): ComparedValues['base'] =>
  light
    ? {
        score: light.score,
        latency_ms: light.latency_ms !== null && light.latency_ms > 0 ? light.latency_ms : null,
        output_tokens: light.completion_tokens !== null && light.completion_tokens > 0 ? light.completion_tokens : null,
      }
    : null

const texts = (...values: ReadonlyArray<string | null | undefined>): string[] => values.flatMap((value) => value || [])

const valuesOf = (base: Light | undefined, head: Light | undefined): ComparedValues => ({
  name: base?.name ?? head?.name ?? null,
  test_id: base?.test_id ?? head?.test_id ?? null,
  tags: [...tagsIn((base ?? head)?.tags ?? null)],
  // Safe: `caseFields` made it.
  fields: JSON.parse((base ?? head)?.fields ?? '{}') as CaseFields,
  providers: texts(base?.provider_id, head?.provider_id),
  prompts: texts(base?.prompt_id, head?.prompt_id),
  base: lightCell(base),
  head: lightCell(head),
  flips:
    base?.asserts && head?.asserts
      ? pairAsserts(base.asserts, head.asserts).filter(([was, is]) => was.passed !== is.passed).length
      : 0,
})

type Listing = ComparedFilters & { readonly sort: ComparedSort; readonly order: 'asc' | 'desc' }

/** The pairs that the filters list, and their values. Reads all cases of both runs unless nothing is asked for. */
const listedPairs = async (
  reader: Reader,
  pairs: readonly OrderedPair[],
  { base_no, head_no }: Pick<Asked, 'base_no' | 'head_no'>,
  { sort, order, ...filters }: Listing,
): Promise<{
  readonly pairs: readonly OrderedPair[]
  readonly sorted: (of: readonly OrderedPair[]) => readonly OrderedPair[]
}> => {
  const hasFilter = Object.values(filters).some((text) => text !== undefined && text !== '')
  if (!hasFilter && sort === 'change') {
    const none = (): ComparedValues => valuesOf(undefined, undefined)
    return { pairs, sorted: (of) => sortCompared(of, { sort, order }, none) }
  }
  const needs = { asserts: sort === 'flips', fields: filters.field !== undefined }
  const before = await readLight(reader, base_no, needs)
  const after = base_no === head_no ? before : await readLight(reader, head_no, needs)
  const values = (pair: OrderedPair): ComparedValues => valuesOf(before.get(pair.base), after.get(pair.head))
  const matches = comparedMatcher(filters)
  return {
    pairs: hasFilter ? pairs.filter((pair) => matches(values(pair))) : pairs,
    sorted: (of) => sortCompared(of, { sort, order }, values),
  }
}

/** `order` is that of the runs with these numbers. */
type Asked = {
  readonly base: string
  readonly head: string
  readonly base_no: number
  readonly head_no: number
  readonly order: ComparedOrder
  readonly filter: ChangeFilter
  readonly case_key?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
  readonly listing?: Listing
}

const EVERYTHING: Listing = { sort: 'change', order: 'asc' }

/**
 * The cases of two runs in pairs; null if a run is unknown, hidden, deleted or replaced. Reads the cases of its page
 * alone; with another order or a filter by more than the change, some columns of all. A cursor is a position in the list,
 * which never changes.
 */
export const listComparedCases = async (
  reader: Reader,
  viewer: Viewer,
  { order, ...asked }: Asked,
): Promise<ComparedCases | null> => {
  const sides = { base: findRun(viewer, asked.base), head: findRun(viewer, asked.head) }
  const { base, head } = await reader.readAll(sides)
  if (base?.run_no !== asked.base_no || head?.run_no !== asked.head_no) return null
  const allPairs = orderedPairs(order)
  const { pairs, sorted } = await listedPairs(reader, allPairs, asked, asked.listing ?? EVERYTHING)
  const start = /^\d{1,6}$/.test(asked.cursor ?? '') ? Number(asked.cursor) : 0
  const wanted = sorted(pairs.filter((pair) => matchesFilter(asked.filter, pair)))
  const { rows, next_cursor } = page(wanted.slice(start), asked.limit, () => String(start + asked.limit))
  const linked = await findLinked(reader, { base, head }, allPairs, asked.case_key)
  const shown = linked ? [linked, ...rows] : rows
  const { before, after, ...still } = await reader.readAll({
    ...sides,
    before: listShown(
      base.run_no,
      shown.map((pair) => pair.base),
    ),
    after: listShown(
      head.run_no,
      shown.map((pair) => pair.head),
    ),
  })
  if (still.base?.run_no !== base.run_no || still.head?.run_no !== head.run_no) return null
  const baseCases = new Map(before.map((row) => [row.n, row]))
  const headCases = new Map(after.map((row) => [row.n, row]))
  const view = (pair: OrderedPair): z.infer<typeof Row> =>
    rowView(pair.change, baseCases.get(pair.base) ?? null, headCases.get(pair.head) ?? null)
  return {
    base: base.id,
    head: head.id,
    joined_by: joinOf(order),
    counts: changeCounts(pairs),
    linked: linked && view(linked),
    cases: rows.map(view),
    next_cursor,
  }
}
