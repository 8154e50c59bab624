import { z } from 'zod'
import { ABSENT, caseOutlines, pairCases } from '../../domain/statistics/comparison-order.ts'
import type { Outlines } from '../../domain/statistics/comparison-order.ts'
import { compareCase, compareWholes, graderMoved } from '../../domain/statistics/comparison.ts'
import type { ComparedCase, ComparedRun, ComparisonSummary } from '../../domain/statistics/comparison.ts'
import { CaseRow, RunRow } from '../../domain/run/columns.ts'
import { CASE_STATUSES } from '../../domain/run/document.ts'
import { any, constant, mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { columnsOf } from '../columns.ts'
import { contentTag } from '../parts.ts'
import type { FirstPart, Part } from '../parts.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { orNull, usd } from '../wire.ts'

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
        delta: z.enum([
          'newly_failing',
          'newly_passing',
          'still_failing',
          'still_passing',
          'unchanged',
          'added',
          'removed',
        ]),
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

const Side = RunRow.pick({
  run_no: true,
  id: true,
  document_sha256: true,
  stored_cases: true,
  prompt_tokens: true,
  completion_tokens: true,
  cost_micro: true,
  duration_ms: true,
  case_count: true,
  pass_count: true,
  config_digest: true,
  digests: true,
})
type Side = z.infer<typeof Side>
const SIDE_COLUMNS = columnsOf('runs', Side)

const Outline = CaseRow.pick({ n: true, case_key: true, status: true, output_hash: true })
const OUTLINE_COLUMNS = columnsOf('cases', Outline)

const Case = CaseRow.pick({
  n: true,
  case_key: true,
  name: true,
  status: true,
  score: true,
  output_hash: true,
  asserts: true,
  prompt_digest: true,
  provider_digest: true,
  assert_digest: true,
})
const CASE_COLUMNS = columnsOf('cases', Case)

const findSide = (viewer: Viewer, run_id: string): Query<Side | null> =>
  maybeOne(sql.type(Side)`
    SELECT ${SIDE_COLUMNS}
    FROM runs WHERE id = ${run_id} AND ${visible(viewer, 'runs')}`)

/** Rows taken from the store at a time: outlines, and whole rows. */
const OUTLINES_AT_ONCE = 5_000
const ROWS_AT_ONCE = 500

const listOutlines = ({ run_no }: Side, after: number): Query<Array<z.infer<typeof Outline>>> =>
  any(
    sql.type(
      Outline,
    )`SELECT ${OUTLINE_COLUMNS} FROM cases WHERE run_no = ${run_no} AND n > ${after} ORDER BY n LIMIT ${OUTLINES_AT_ONCE}`,
  )

/**
 * The cases of a run at some places, by their place. Always as many are asked for, so that there is one text to
 * prepare.
 */
const listPlaced = (run_no: number, places: readonly number[]): Query<ReadonlyMap<number, ComparedCase>> => {
  const asked = Array.from({ length: ROWS_AT_ONCE }, (_, i) => places[i] ?? ABSENT)
  if (places.length === 0) return constant(new Map())
  return mapped(
    any(sql.type(Case)`
      SELECT ${CASE_COLUMNS}
      FROM cases WHERE run_no = ${run_no} AND n IN (${sql.join(asked, sql.fragment`, `)})`),
    (rows) =>
      new Map(rows.map(({ n, ...row }) => [n, { ...row, output_hash: row.output_hash?.toString('hex') ?? null }])),
  )
}

const outlinesOf = async (reader: Reader, side: Side): Promise<Outlines> => {
  const outlines = caseOutlines(side.stored_cases)
  for (let after = -1; ;) {
    const rows = await reader.read(listOutlines(side, after))
    for (const row of rows) outlines.add(row)
    const last = rows.at(-1)
    if (!last || rows.length < OUTLINES_AT_ONCE) return outlines
    after = last.n
  }
}

const wholeOf = ({
  run_no: _no,
  document_sha256: _hash,
  stored_cases: _cases,
  cost_micro,
  config_digest,
  ...side
}: Side): ComparedRun => ({ ...side, cost_usd: usd(cost_micro), config_digest: orNull(config_digest) })

type Asked = { readonly base: string; readonly head: string }

/**
 * Where a comparison goes on: at the pair `at`. The pairs are shared memory, so that it costs nothing to pass them
 * around.
 */
export type ComparisonPosition = {
  readonly base_no: number
  readonly head_no: number
  readonly pairs: Int32Array<SharedArrayBuffer>
  readonly summary: ComparisonSummary
  readonly at: number
}

const findSides = (reader: Reader, viewer: Viewer, { base, head }: Asked) =>
  reader.readAll({ base: findSide(viewer, base), head: findSide(viewer, head) })

const tagOf = (base: Side, head: Side): string =>
  contentTag('compare', [base.id, head.id], [base.document_sha256, head.document_sha256])

/** The tag of a comparison that is too long to be hashed; null where either run is unknown or hidden. */
export const findComparisonTag = async (reader: Reader, viewer: Viewer, asked: Asked): Promise<string | null> => {
  const { base, head } = await findSides(reader, viewer, asked)
  return base && head && tagOf(base, head)
}

/**
 * Begins to compare a head run with a base run; null where either is unknown or hidden. Reads an outline of every case
 * of both, to order and to count them: for a reader thread.
 */
export const beginComparison = async (
  reader: Reader,
  viewer: Viewer,
  asked: Asked,
): Promise<FirstPart<ComparisonPosition> | null> => {
  const { base, head } = await findSides(reader, viewer, asked)
  if (!base || !head) return null
  const { pairs, summary } = pairCases(await outlinesOf(reader, base), await outlinesOf(reader, head))
  // One that was deleted meanwhile had not all of its cases any more; the next part says so.
  return {
    etag: tagOf(base, head),
    held: pairs.byteLength,
    from: { base_no: base.run_no, head_no: head.run_no, pairs, summary, at: 0 },
  }
}

/**
 * The next cases of a comparison, and what stands in front of the first and behind the last; null where a run is not
 * there any more.
 */
export const nextOfComparison = async (
  reader: Reader,
  viewer: Viewer,
  asked: Asked,
  from: ComparisonPosition,
): Promise<Part<ComparisonPosition> | null> => {
  const { pairs, summary, at, base_no, head_no } = from
  const end = Math.min(at + ROWS_AT_ONCE * 2, pairs.length)
  const places = (side: 0 | 1) => [...pairs.subarray(at, end)].filter((place, i) => i % 2 === side && place !== ABSENT)
  const { base, head, before, after } = await reader.readAll({
    base: findSide(viewer, asked.base),
    head: findSide(viewer, asked.head),
    before: listPlaced(base_no, places(0)),
    after: listPlaced(head_no, places(1)),
  })
  if (base?.run_no !== base_no || head?.run_no !== head_no) return null
  const [baseRun, headRun] = [wholeOf(base), wholeOf(head)]
  const grader = graderMoved(baseRun, headRun)
  const texts: string[] = []
  for (let i = at; i < end; i += 2)
    texts.push(JSON.stringify(compareCase(before.get(pairs[i] ?? ABSENT), after.get(pairs[i + 1] ?? ABSENT), grader)))
  const front =
    at === 0
      ? `{"base":${JSON.stringify(base.id)},"head":${JSON.stringify(head.id)},"summary":${JSON.stringify(summary)},"cases":[`
      : ','
  if (end < pairs.length) return { text: front + texts.join(','), next: { ...from, at: end } }
  return {
    text: `${front}${texts.join(',')}],${JSON.stringify(compareWholes(baseRun, headRun, summary)).slice(1)}`,
    next: null,
  }
}
