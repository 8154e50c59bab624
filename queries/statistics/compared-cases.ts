import { z } from 'zod'
import { CaseRow } from '../../domain/run/columns.ts'
import { CASE_STATUSES } from '../../domain/run/document.ts'
import { tagsIn } from '../../domain/run/tags.ts'
import { decisionOf } from '../../domain/statistics/comparison.ts'
import { pairAsserts } from '../../domain/statistics/pair-asserts.ts'
import { chooseJoin, joinCases, JOINS } from '../../domain/statistics/pairing.ts'
import type { Joined } from '../../domain/statistics/pairing.ts'
import { page, usd } from '../../domain/wire.ts'
import { any, constant, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { columnsOf } from '../columns.ts'
import { listLabels, readOutcomes } from './outcomes.ts'
import type { Label, OutcomeRow } from './outcomes.ts'
import { MEASURES } from './run-statistics.ts'
import { findSide } from './side.ts'

const count = z.number().int()
const text = z.string().nullable()
const number = z.number().nullable()

/** What happened to a case, in the order of the list. `undecided`: skipped, or failed as expected, in one run or both. */
const CHANGES = ['worse', 'better', 'undecided', 'still_failing', 'still_passing', 'base_only', 'head_only'] as const
type Change = (typeof CHANGES)[number]

/** Which cases are listed. `changed`: worse or better. `flipped`: the same verdict, but an assertion has another. */
export const CHANGE_FILTERS = ['changed', ...CHANGES, 'flipped', 'all'] as const
export type ChangeFilter = (typeof CHANGE_FILTERS)[number]

const Cell = z.object({
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
  base: Cell.nullable(),
  head: Cell.nullable(),
  /** Null unless both runs have the case. */
  output_changed: z.boolean().nullable(),
  /** Assertions with another verdict, in the order of the base. */
  flips: z.array(
    z.object({
      label: z.string(),
      kind: z.string(),
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
    /** Cases by what happened to them, whatever the filter. */
    counts: z.object({
      ...(Object.fromEntries(CHANGES.map((change) => [change, count])) as Record<Change, typeof count>),
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

const Checks = CaseRow.pick({ n: true, asserts: true, output_hash: true })
type Checks = z.infer<typeof Checks>
const CHECK_COLUMNS = columnsOf('cases', Checks)

/** Rows that one query reads. Their number is fixed, so that all such queries share one prepared text. */
const ROWS_PER_QUERY = 500
const ABSENT = -1

const listChecks = (run_no: number, indexes: readonly number[]): Query<Checks[]> => {
  if (indexes.length === 0) return constant([])
  const padded = Array.from({ length: ROWS_PER_QUERY }, (_, i) => indexes[i] ?? ABSENT)
  return any(sql.type(Checks)`
    SELECT ${CHECK_COLUMNS} FROM cases WHERE run_no = ${run_no} AND n IN (${sql.join(padded, sql.fragment`, `)})`)
}

type Compared = Joined<OutcomeRow> & {
  readonly at: number
  readonly change: Change
  readonly flips: z.infer<typeof Row>['flips']
  readonly output_changed: boolean | null
}

const UNDECIDED: Change = 'undecided'
const changeOf = ({ base, head }: Joined<OutcomeRow>): Change => {
  if (!base) return 'head_only'
  if (!head) return 'base_only'
  const [from, to] = [decisionOf(base.status), decisionOf(head.status)]
  if (from === 'neutral' || to === 'neutral') return UNDECIDED
  if (from === to) return from === 'passing' ? 'still_passing' : 'still_failing'
  return to === 'failing' ? 'worse' : 'better'
}

/** Adds to each pair which assertions flipped and whether the output changed. */
const compareChecks = async (
  reader: Reader,
  pairs: ReadonlyArray<Joined<OutcomeRow>>,
  base_no: number,
  head_no: number,
): Promise<Compared[]> => {
  const compared: Compared[] = []
  for (let from = 0; from < pairs.length; from += ROWS_PER_QUERY) {
    const part = pairs.slice(from, from + ROWS_PER_QUERY)
    const both = part.filter(({ base, head }) => base && head)
    const { before, after } = await reader.readAll({
      before: listChecks(
        base_no,
        both.flatMap(({ base }) => base?.n ?? []),
      ),
      after: listChecks(
        head_no,
        both.flatMap(({ head }) => head?.n ?? []),
      ),
    })
    const [baseChecks, headChecks] = [before, after].map((rows) => new Map(rows.map((row) => [row.n, row])))
    for (const [i, pair] of part.entries()) {
      const checks = [baseChecks?.get(pair.base?.n ?? ABSENT), headChecks?.get(pair.head?.n ?? ABSENT)] as const
      const [one, other] = checks
      compared.push({
        ...pair,
        at: from + i,
        change: changeOf(pair),
        flips: one && other ? flipsOf(one, other) : [],
        output_changed: one && other ? !isSameHash(one.output_hash, other.output_hash) : null,
      })
    }
  }
  return compared
}

const isSameHash = (one: Buffer | null, other: Buffer | null): boolean =>
  one === null || other === null ? one === other : one.equals(other)

const flipsOf = (base: Checks, head: Checks): Compared['flips'] =>
  pairAsserts(base.asserts, head.asserts)
    .filter(([before, after]) => before.passed !== after.passed)
    .map(([before, after]) => ({
      label: before.label,
      kind: before.kind,
      base_passed: before.passed,
      base_score: before.score,
      head_score: after.score,
    }))

const isFlipped = ({ change, flips }: Compared): boolean =>
  flips.length > 0 && (change === 'still_failing' || change === 'still_passing')

const matches = (filter: ChangeFilter, compared: Compared): boolean => {
  if (filter === 'all') return true
  if (filter === 'flipped') return isFlipped(compared)
  if (filter === 'changed') return compared.change === 'worse' || compared.change === 'better'
  return compared.change === filter
}

const scoreDelta = ({ base, head }: Compared): number =>
  base?.score === null || head?.score === null || !base || !head ? 0 : head.score - base.score

/** Groups in their order; in them the largest change of the score first, then the order of the documents. */
const byChange = (a: Compared, b: Compared): number =>
  CHANGES.indexOf(a.change) - CHANGES.indexOf(b.change) ||
  Math.abs(scoreDelta(b)) - Math.abs(scoreDelta(a)) ||
  a.at - b.at

const cellView = (outcome: OutcomeRow | null): z.infer<typeof Cell> | null =>
  outcome && {
    case_key: outcome.case_key,
    status: outcome.status,
    score: outcome.score,
    latency_ms: MEASURES.latency_ms(outcome),
    output_tokens: MEASURES.output_tokens(outcome),
    cost_usd: usd(outcome.cost_micro),
  }

/** The names and tags of the cases that are shown, by case. */
const readLabels = async (
  reader: Reader,
  shown: readonly Compared[],
  base_no: number,
  head_no: number,
): Promise<ReadonlyMap<OutcomeRow, Label>> => {
  const labels = new Map<OutcomeRow, Label>()
  for (const [run_no, outcomes] of [
    [base_no, shown.flatMap(({ base }) => base ?? [])],
    [head_no, shown.flatMap(({ head }) => head ?? [])],
  ] as const)
    for (let from = 0; from < outcomes.length; from += ROWS_PER_QUERY) {
      const part = outcomes.slice(from, from + ROWS_PER_QUERY)
      const rows = await reader.read(
        listLabels(
          run_no,
          part.map(({ n }) => n),
        ),
      )
      const found = new Map(rows.map((row) => [row.n, row]))
      for (const outcome of part) {
        const label = found.get(outcome.n)
        if (label) labels.set(outcome, label)
      }
    }
  return labels
}

const rowView = (
  { base, head, change, flips, output_changed }: Compared,
  labels: ReadonlyMap<OutcomeRow, Label>,
): z.infer<typeof Row> => {
  const labelOf = (outcome: OutcomeRow | null): Label | undefined => (outcome ? labels.get(outcome) : undefined)
  const common = (of: (outcome: OutcomeRow) => string | null): string | null => {
    const values = new Set([base, head].flatMap((outcome) => (outcome ? [of(outcome)] : [])))
    return values.size === 1 ? ([...values][0] ?? null) : null
  }
  const either = base ?? head
  return {
    change,
    name: labelOf(base)?.name ?? labelOf(head)?.name ?? null,
    test_id: either?.test_id ?? null,
    provider_id: common(({ provider_id }) => provider_id),
    prompt_id: common(({ prompt_id }) => prompt_id),
    repeat: either?.repeat ?? null,
    tags: [...tagsIn(labelOf(either)?.tags ?? null)],
    base: cellView(base),
    head: cellView(head),
    output_changed,
    flips,
  }
}

type Asked = {
  readonly base: string
  readonly head: string
  readonly filter: ChangeFilter
  readonly case_key?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/**
 * The cases of two runs in pairs; null if a run is unknown, hidden or deleted. Reads all their cases, so it must run on
 * a reader thread. A cursor is a position in the list, which never changes.
 */
export const listComparedCases = async (
  reader: Reader,
  viewer: Viewer,
  asked: Asked,
): Promise<ComparedCases | null> => {
  const { base, head } = await reader.readAll({
    base: findSide(viewer, asked.base),
    head: findSide(viewer, asked.head),
  })
  if (!base || !head) return null
  const [before, after] = [await readOutcomes(reader, viewer, base), await readOutcomes(reader, viewer, head)]
  if (!before || !after) return null
  const joined_by = chooseJoin([before, after])
  const pairs = joinCases(before, after, joined_by)
  const compared = await compareChecks(reader, pairs, base.run_no, head.run_no)
  const counts = Object.fromEntries(CHANGES.map((change) => [change, 0])) as Record<Change, number>
  for (const { change } of compared) counts[change]++
  const start = /^\d{1,6}$/.test(asked.cursor ?? '') ? Number(asked.cursor) : 0
  const wanted = compared.filter((item) => matches(asked.filter, item)).sort(byChange)
  const { rows, next_cursor } = page(wanted.slice(start), asked.limit, () => String(start + asked.limit))
  const linked = compared.find(
    (item) =>
      asked.case_key !== undefined &&
      (item.head?.case_key === asked.case_key || item.base?.case_key === asked.case_key),
  )
  const labels = await readLabels(reader, linked ? [linked, ...rows] : rows, base.run_no, head.run_no)
  return {
    base: base.id,
    head: head.id,
    joined_by,
    counts: { ...counts, flipped: compared.filter(isFlipped).length, all: compared.length },
    linked: linked ? rowView(linked, labels) : null,
    cases: rows.map((row) => rowView(row, labels)),
    next_cursor,
  }
}
