import { z } from 'zod'
import { ABSENT, caseOutlines, pairCases, type Outlines } from '../../domain/statistics/comparison-order.ts'
import {
  compareCase,
  compareSummaries,
  statusDelta,
  DELTAS,
  isGraderChanged,
  type ComparedCase,
  type ComparedRun,
  type Comparison,
  type ComparisonSummary,
  type Delta,
} from '../../domain/statistics/comparison.ts'
import { comparedShape } from '../../domain/run/column.ts'
import { caseColumns, CaseRow } from '../../domain/run/case-columns.ts'
import { runColumns, RunRow } from '../../domain/run/run-columns.ts'
import { CASE_STATUSES, type CaseStatus } from '../../domain/run/document.ts'
import { any, constant, mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { chooseJoin, countPairs, joinCases, joinKey } from '../../domain/statistics/pairing.ts'
import { addCounts } from '../../domain/statistics/totals.ts'
import { columnList } from '../columns.ts'
import { contentTag, type FirstPart, type Part } from '../parts.ts'
import { readJudgeChanged, type JudgeChange } from '../reviews/judges.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { orNull, usd } from '../../domain/wire.ts'
import { VerdictView, viewOfVerdict } from '../statistics/comparison-statistics.ts'
import { readColumn, type ComparedPair, type OutcomeRow } from '../statistics/outcomes.ts'
import { ComparedColumn } from '../statistics/side.ts'

const count = z.number().int()
const text = z.string().nullable()
const flag = z.boolean().nullable()
const status = z.enum(CASE_STATUSES).nullable()

const Flip = z.object({
  kind: z.string(),
  base_passed: z.boolean(),
  head_passed: z.boolean(),
  base_score: z.number(),
  head_score: z.number(),
})
const PassRate = z.object({ passed: count, total: count, rate: z.number(), lower: z.number(), upper: z.number() })
const Totals = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  cost_usd: z.number().nullable(),
  duration_ms: count.nullable(),
  case_count: count,
  pass_count: count,
})

/** What changed between two runs, case by case, with statistics over both. */
export const RunComparison = z
  .object({
    base: z.string(),
    head: z.string(),
    summary: z.object({
      newly_failing: count,
      newly_passing: count,
      still_failing: count,
      output_changed: count,
      added: count,
      removed: count,
    }),
    cases: z.array(
      z.object({
        case_key: z.string(),
        name: text,
        base_status: status,
        head_status: status,
        delta: z.enum(DELTAS),
        output_changed: z.boolean(),
        base_score: z.number().nullable(),
        head_score: z.number().nullable(),
        score_delta: z.number().nullable(),
        assert_flips: z.array(Flip),
        change: z.enum([
          'prompt_changed',
          'provider_changed',
          'asserts_changed',
          'grader_changed',
          'unknown',
          'model_drift',
          'output_drift',
          'unstable_grader',
          'stable',
        ]),
      }),
    ),
    stats: z.object({
      mcnemar: z.object({
        regressions: count,
        fixes: count,
        statistic: z.number(),
        significant: z.boolean(),
        p_value: z.number(),
      }),
      base_pass_rate: PassRate,
      head_pass_rate: PassRate,
    }),
    totals: z.object({ base: Totals, head: Totals }),
    config: z.object({
      base_digest: text,
      head_digest: text,
      changed: flag,
      components: z.array(
        z.object({
          component: z.enum(['prompts', 'providers', 'tests', 'asserts', 'grader']),
          base: text,
          head: text,
          changed: flag,
        }),
      ),
    }),
  })
  .meta({ id: 'RunComparison' })

const Side = RunRow.pick({ run_no: true, id: true, document_sha256: true, stored_cases: true }).extend(
  comparedShape(runColumns),
)
type Side = z.infer<typeof Side>
const SIDE_COLUMNS = columnList('runs', Side)

const Outline = CaseRow.pick({ n: true, case_key: true, status: true, output_hash: true })
const OUTLINE_COLUMNS = columnList('cases', Outline)

const Case = CaseRow.pick({ n: true }).extend(comparedShape(caseColumns))
const CASE_COLUMNS = columnList('cases', Case)

const findSide = (viewer: Viewer, run_id: string): Query<Side | null> =>
  maybeOne(sql.type(Side)`
    SELECT ${SIDE_COLUMNS}
    FROM runs WHERE id = ${run_id} AND ${visible(viewer, 'runs')}`)

/** Maximum number of rows that one query reads: of outlines, and of complete cases. */
const OUTLINES_PER_QUERY = 5_000
const ROWS_PER_QUERY = 500

const listOutlines = ({ run_no }: Side, after: number): Query<Array<z.infer<typeof Outline>>> =>
  any(
    sql.type(Outline)`
      SELECT ${OUTLINE_COLUMNS} FROM cases
      WHERE run_no = ${run_no} AND n > ${after}
      ORDER BY n LIMIT ${OUTLINES_PER_QUERY}`,
  )

/**
 * The cases of a run at these indexes, by index. The list of indexes is padded to a fixed length, so that all such
 * queries share one prepared SQL text.
 */
const listCases = (run_no: number, indexes: readonly number[]): Query<ReadonlyMap<number, ComparedCase>> => {
  const padded = Array.from({ length: ROWS_PER_QUERY }, (_, i) => indexes[i] ?? ABSENT)
  if (indexes.length === 0) return constant(new Map())
  return mapped(
    any(sql.type(Case)`
      SELECT ${CASE_COLUMNS}
      FROM cases WHERE run_no = ${run_no} AND n IN (${sql.join(padded, sql.fragment`, `)})`),
    (rows) =>
      new Map(rows.map(({ n, ...row }) => [n, { ...row, output_hash: row.output_hash?.toString('hex') ?? null }])),
  )
}

/** `keys`: only these cases, by their indexes, each with the key by which it is paired. */
const readOutlines = async (reader: Reader, side: Side, keys?: ReadonlyMap<number, string>): Promise<Outlines> => {
  const outlines = caseOutlines(side.stored_cases)
  for (let after = -1; ;) {
    const rows = await reader.read(listOutlines(side, after))
    for (const row of rows) {
      const case_key = keys ? keys.get(row.n) : row.case_key
      if (case_key !== undefined) outlines.add({ ...row, case_key })
    }
    const last = rows.at(-1)
    if (!last || rows.length < OUTLINES_PER_QUERY) return outlines
    after = last.n
  }
}

const comparedRun = ({
  run_no: _no,
  document_sha256: _hash,
  stored_cases: _cases,
  cost_micro,
  config_digest,
  ...side
}: Side): ComparedRun => ({ ...side, cost_usd: usd(cost_micro), config_digest: orNull(config_digest) })

type Request = { readonly base: string; readonly head: string }

/**
 * The position from which a comparison continues: `offset` is the index of the next element of `pairs`, which has two
 * elements per pair. `pairs` is shared memory, so threads pass it without a copy.
 */
export type ComparisonPosition = {
  readonly base_no: number
  readonly head_no: number
  readonly pairs: Int32Array<SharedArrayBuffer>
  readonly summary: ComparisonSummary
  readonly offset: number
}

const findSides = (reader: Reader, viewer: Viewer, { base, head }: Request) =>
  reader.readAll({ base: findSide(viewer, base), head: findSide(viewer, head) })

const tagOfPair = (base: Side, head: Side): string =>
  contentTag('compare', [base.id, head.id], [base.document_sha256, head.document_sha256])

/** The ETag of a comparison that is too long to hash; null if either run is unknown or hidden. */
export const findComparisonTag = async (reader: Reader, viewer: Viewer, request: Request): Promise<string | null> => {
  const { base, head } = await findSides(reader, viewer, request)
  return base && head && tagOfPair(base, head)
}

/**
 * Starts to compare a head run with a base run; null if either is unknown or hidden. It reads an outline of every case
 * of both runs, to order and count the cases. Because this is slow, it should run on a reader thread.
 */
export const startComparison = async (
  reader: Reader,
  viewer: Viewer,
  request: Request,
): Promise<FirstPart<ComparisonPosition> | null> => {
  const { base, head } = await findSides(reader, viewer, request)
  if (!base || !head) return null
  const { pairs, summary } = pairCases(await readOutlines(reader, base), await readOutlines(reader, head))
  // If a run was deleted meanwhile, cases are missing here. The next part then returns null.
  return {
    etag: tagOfPair(base, head),
    memoryBytes: pairs.byteLength,
    from: { base_no: base.run_no, head_no: head.run_no, pairs, summary, offset: 0 },
  }
}

/**
 * The next cases of a comparison, as text. The first part also has the text before all cases, the last part the text
 * after them. Null if a run no longer exists.
 */
export const continueComparison = async (
  reader: Reader,
  viewer: Viewer,
  request: Request,
  from: ComparisonPosition,
): Promise<Part<ComparisonPosition> | null> => {
  const { pairs, summary, offset, base_no, head_no } = from
  const end = Math.min(offset + ROWS_PER_QUERY * 2, pairs.length)
  const indexes = (side: 0 | 1) =>
    [...pairs.subarray(offset, end)].filter((index, i) => i % 2 === side && index !== ABSENT)
  const { base, head, before, after } = await reader.readAll({
    base: findSide(viewer, request.base),
    head: findSide(viewer, request.head),
    before: listCases(base_no, indexes(0)),
    after: listCases(head_no, indexes(1)),
  })
  if (base?.run_no !== base_no || head?.run_no !== head_no) return null
  const [baseRun, headRun] = [comparedRun(base), comparedRun(head)]
  const grader = isGraderChanged(baseRun, headRun)
  const texts: string[] = []
  for (let i = offset; i < end; i += 2)
    texts.push(JSON.stringify(compareCase(before.get(pairs[i] ?? ABSENT), after.get(pairs[i + 1] ?? ABSENT), grader)))
  const front =
    offset === 0
      ? `{"base":${JSON.stringify(base.id)},"head":${JSON.stringify(head.id)},"summary":${JSON.stringify(summary)},"cases":[`
      : ','
  if (end < pairs.length) return { text: front + texts.join(','), next: { ...from, offset: end } }
  return {
    text: `${front}${texts.join(',')}],${JSON.stringify(compareSummaries(baseRun, headRun, summary)).slice(1)}`,
    next: null,
  }
}

/** The statuses of a run's cases by their indexes. */
const statusesOf = (outlines: Outlines): ReadonlyMap<number, CaseStatus> =>
  new Map(Array.from({ length: outlines.size() }, (_, i) => [outlines.index(i), outlines.status(i)]))

/** What a comparison of columns adds: which they are, and the exact test of their cases. */
export const ColumnsCompared = VerdictView.extend({
  base: ComparedColumn.nullable(),
  head: ComparedColumn.nullable(),
})

/** A comparison with the cases of some deltas alone. `omitted` is the number of its other cases. */
export type PartOfComparison = {
  /** Metrics that another judge decided in the head. */
  readonly judge_changed: readonly JudgeChange[]
  readonly comparison: Comparison
  readonly omitted: number
  /** Null for two whole runs. */
  readonly columns: z.infer<typeof ColumnsCompared> | null
}

/** The totals of a column. Its duration is not known: cases of several columns run at the same time. */
const columnRun = (run: ComparedRun, outcomes: readonly OutcomeRow[]): ComparedRun => {
  const sum = (of: (outcome: OutcomeRow) => number | null): number =>
    outcomes.reduce((total, outcome) => addCounts(total, of(outcome) ?? 0), 0)
  const hasCost = outcomes.some(({ cost_micro }) => cost_micro !== null)
  return {
    ...run,
    prompt_tokens: sum(({ prompt_tokens }) => prompt_tokens),
    completion_tokens: sum(({ completion_tokens }) => completion_tokens),
    cost_usd: usd(hasCost ? sum(({ cost_micro }) => cost_micro) : null),
    duration_ms: null,
    case_count: outcomes.length,
    pass_count: outcomes.filter(({ status: is }) => is === 'pass').length,
  }
}

/** The cases of two columns, or null if a run was deleted meanwhile. Throws `BadParameter` for a column without a case. */
const readColumns = async (
  reader: Reader,
  viewer: Viewer,
  { base, head }: { readonly base: Side; readonly head: Side },
  { base_column, head_column }: ComparedPair,
) => {
  const before = await readColumn(reader, viewer, base, 'base_column', base_column)
  const after = await readColumn(reader, viewer, head, 'head_column', head_column)
  if (!before || !after) return null
  const join = chooseJoin([before, after])
  const keysOf = (outcomes: readonly OutcomeRow[]) =>
    new Map(outcomes.map((outcome) => [outcome.n, joinKey(outcome, join)]))
  const view = viewOfVerdict(countPairs(joinCases(before, after, join)))
  return {
    keys: { base: keysOf(before), head: keysOf(after) },
    view: { base: base_column ?? null, head: head_column ?? null, ...view },
    runOf: (run: ComparedRun, side: 'base' | 'head'): ComparedRun =>
      side === 'base' ? (base_column ? columnRun(run, before) : run) : head_column ? columnRun(run, after) : run,
  }
}

/**
 * Compares a head run with a base run, or a column of each, but returns only the first `limit` cases of these deltas; null
 * if a run is unknown, hidden or deleted meanwhile. `limit` is at most `ROWS_PER_QUERY`. It reads an outline of every case
 * of both runs. Throws `BadParameter` for a column that no case has.
 */
export const comparePart = async (
  reader: Reader,
  viewer: Viewer,
  { deltas, limit, ...asked }: ComparedPair & { readonly deltas: ReadonlySet<Delta>; readonly limit: number },
): Promise<PartOfComparison | null> => {
  const { base, head } = await findSides(reader, viewer, asked)
  if (!base || !head) return null
  const isOfColumns = asked.base_column !== undefined || asked.head_column !== undefined
  const columns = isOfColumns ? await readColumns(reader, viewer, { base, head }, asked) : undefined
  if (columns === null) return null
  const before = await readOutlines(reader, base, columns?.keys.base)
  const after = await readOutlines(reader, head, columns?.keys.head)
  const { pairs, summary } = pairCases(before, after)
  const [statusBefore, statusAfter] = [statusesOf(before), statusesOf(after)]
  const chosen: Array<{ readonly base: number; readonly head: number }> = []
  for (let i = 0; i < pairs.length && chosen.length < limit; i += 2) {
    const pair = { base: pairs[i] ?? ABSENT, head: pairs[i + 1] ?? ABSENT }
    const [from, to] = [statusBefore.get(pair.base), statusAfter.get(pair.head)]
    if (deltas.has(from && to ? statusDelta(from, to) : from ? 'removed' : 'added')) chosen.push(pair)
  }
  const indexes = (side: 'base' | 'head') => chosen.map((pair) => pair[side]).filter((index) => index !== ABSENT)
  const found = await reader.readAll({
    base: findSide(viewer, asked.base),
    head: findSide(viewer, asked.head),
    before: listCases(base.run_no, indexes('base')),
    after: listCases(head.run_no, indexes('head')),
  })
  if (found.base?.run_no !== base.run_no || found.head?.run_no !== head.run_no) return null
  const [wholeBase, wholeHead] = [comparedRun(base), comparedRun(head)]
  const baseRun = columns ? columns.runOf(wholeBase, 'base') : wholeBase
  const headRun = columns ? columns.runOf(wholeHead, 'head') : wholeHead
  const grader = isGraderChanged(baseRun, headRun)
  return {
    judge_changed: await readJudgeChanged(reader, base.run_no, head.run_no),
    columns: columns?.view ?? null,
    comparison: {
      base: base.id,
      head: head.id,
      summary,
      cases: chosen.map((pair) => compareCase(found.before.get(pair.base), found.after.get(pair.head), grader)),
      ...compareSummaries(baseRun, headRun, summary),
    },
    omitted: pairs.length / 2 - chosen.length,
  }
}
