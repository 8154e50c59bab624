import { z } from 'zod'
import { RunRow } from '../../domain/run/run-columns.ts'
import { columnProviders } from '../../domain/run/matrix.ts'
import { readMeasures, type Measures } from '../../domain/series/measures.ts'
import { ABSENT, foldedMark, isPassing, readOutline } from '../../domain/series/outline.ts'
import { countRun, newTally, type UnitTally } from '../../domain/statistics/flakiness.ts'
import { orNull, page, rfc3339, usd } from '../../domain/wire.ts'
import { runMedians, tokensOf } from '../../domain/series/run-figures.ts'
import { any, numberList, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { columnList } from '../columns.ts'
import type { Suite } from '../sets/baselines.ts'
import { findSet } from '../sets/suite-set.ts'
import { compareTuples, parseTupleCursor, tupleCursorText, type Tuple } from '../tuple-cursor.ts'
import { isByTest, readProviders, rowByTest, testsReader, type RowKey } from './grid-tests.ts'
import { readIdentities, type Identity } from './identities.ts'

const count = z.number().int()
const text = z.string().nullable()

export const GRID_ORDERS = ['changed', 'flaky', 'failing', 'name'] as const
export type GridOrder = (typeof GRID_ORDERS)[number]

/** `auto` folds by test where the runs share tests but no cases. */
export const GRID_FOLDS = ['trials', 'test', 'auto'] as const
/** What the cells of a grid can show besides the status. */
export const GRID_MEASURES = ['score', 'cost_usd', 'latency_ms', 'tokens'] as const
export type GridMeasure = (typeof GRID_MEASURES)[number]

export type GridFold = Exclude<(typeof GRID_FOLDS)[number], 'auto'>

const GridRun = z.object({
  id: z.string(),
  created_at: z.string(),
  note: text,
  git_branch: text,
  git_commit: text,
  config_digest: text,
  digests: RunRow.shape.digests,
  case_count: count,
  pass_count: count,
  /** Over tests, of a run whose tests have several trials; else it is that of Wilson over cases, and left out. */
  pass_interval: RunRow.shape.pass_interval.unwrap().optional(),
  fail_count: count,
  error_count: count,
  provider_ids: z.array(z.string()),
  /**
   * The median cost and latency of a case, without answers from a cache; null where none was recorded. Left out where the
   * runs are mostly of the same providers, and after the first page.
   */
  cost_usd_median: z.number().nullable().optional(),
  latency_ms_median: z.number().nullable().optional(),
})

const GridRow = z.object({
  case_key: z.string(),
  test_id: text,
  provider_id: text,
  prompt_id: text,
  repeat: count.nullable(),
  name: text,
  /** A letter for each run, oldest first. */
  marks: z.string(),
  /** If a measure is asked for, its mean over the cases of each run, oldest first; null where none recorded it. */
  values: z.array(z.number().nullable()).optional(),
  flips: count,
  last_change: z.object({ run_id: z.string(), created_at: z.string(), from: z.string(), to: z.string() }).nullable(),
  passed: count,
  counted: count,
})

/** The status of each case of a suite in its newest runs: a column for each run, oldest first, and a row for each case. */
export const SuiteGrid = z
  .object({
    runs: z.array(GridRun),
    rows: z.array(GridRow),
    row_count: count,
    /** What a row is: all trials of a case, all cases of a test, or one case. */
    fold: z.enum(['trials', 'test']).nullable(),
    /** The cases of the newest run by provider, on the first page; empty if it has one provider. */
    newest_providers: z.array(z.object({ provider_id: z.string(), passed: count, total: count })),
    next_cursor: text,
  })
  .meta({ id: 'SuiteGrid' })
export type SuiteGrid = z.infer<typeof SuiteGrid>

const RUN_COLUMNS = RunRow.pick({
  id: true,
  created_at: true,
  note: true,
  git_branch: true,
  git_commit: true,
  config_digest: true,
  digests: true,
  case_count: true,
  pass_count: true,
  pass_interval: true,
  fail_count: true,
  error_count: true,
})
const OutlinedRun = RUN_COLUMNS.extend({
  run_no: count,
  outline: z.instanceof(Buffer),
  measures: z.instanceof(Buffer).nullable(),
  matrix_columns: z.string().nullable(),
})
type OutlinedRun = z.infer<typeof OutlinedRun>

const listOutlines = (
  key: string,
  limit: number,
  branch: string | undefined,
  hasMeasures: boolean,
): Query<OutlinedRun[]> =>
  any(sql.type(OutlinedRun)`
    SELECT ${columnList('runs', RUN_COLUMNS)}, newest.run_no, newest.outline, newest.measures, matrices.columns AS matrix_columns
    FROM (
      SELECT run_no, created_at, run_id, outline,
        ${hasMeasures ? sql.fragment`measures` : sql.fragment`NULL AS measures`}
      FROM run_outlines
      WHERE set_key = ${key} AND ${branch === undefined ? sql.fragment`TRUE` : sql.fragment`git_branch = ${branch}`}
      ORDER BY created_at DESC, run_id DESC LIMIT ${limit}) newest
    CROSS JOIN runs LEFT JOIN matrices ON matrices.run_no = runs.run_no
    WHERE runs.run_no = newest.run_no
    ORDER BY newest.created_at DESC, newest.run_id DESC`)

const MeasuredRun = z.object({ run_no: count, measures: z.instanceof(Buffer).nullable() })

/** Whether most runs have other providers than the others: they are then compared with each other, not followed over time. */
const isOfManyModels = (runs: readonly OutlinedRun[]): boolean =>
  runs.length > 1 &&
  new Set(runs.map(({ matrix_columns }) => columnProviders(matrix_columns).toSorted().join('\n'))).size >
    runs.length / 2

/** What the cases of each run cost and how long they took, by the number of the run. */
const readMedians = async (
  reader: Reader,
  runs: readonly OutlinedRun[],
): Promise<ReadonlyMap<number, ReturnType<typeof runMedians>>> => {
  const measured = await reader.read(
    any(sql.type(MeasuredRun)`
      SELECT run_no, measures FROM run_outlines WHERE run_no IN (${numberList(runs.map(({ run_no }) => run_no))})`),
  )
  return new Map(
    measured.flatMap(({ run_no, measures }) => (measures ? [[run_no, runMedians(readMeasures(measures))]] : [])),
  )
}

/** A row that is being filled, run by run. */
type Filling = {
  readonly key: number
  readonly marks: string[]
  readonly tally: UnitTally
  /** The sum of the measure in each column, and of how many cases; empty without one. */
  readonly sums: number[]
  readonly measured: number[]
  /** The newest run with the row, by its column, and the index of the case there. */
  run: number
  n: number
  passed: number
  counted: number
  /** The newest column with another verdict than the last one before it, and that column; -1 for none. */
  changed: number
  before: number
  last: number
}

const newRow = (key: number, columns: number, hasMeasure = false): Filling => ({
  key,
  marks: new Array<string>(columns).fill(ABSENT),
  tally: newTally(),
  sums: new Array<number>(hasMeasure ? columns : 0).fill(0),
  measured: new Array<number>(hasMeasure ? columns : 0).fill(0),
  run: -1,
  n: 0,
  passed: 0,
  counted: 0,
  changed: -1,
  before: -1,
  last: -1,
})

/** Of a case, by its place; NaN where it was not recorded, or an answer was read from a cache. */
const measureOf = (measures: Measures, measure: GridMeasure): ((i: number) => number) => {
  if (measure === 'score') return (i) => measures.value('score', i)
  const uncached = (of: (i: number) => number) => (i: number) => (measures.isCached(i) ? NaN : of(i))
  if (measure === 'cost_usd') return uncached((i) => measures.value('cost_micro', i) / 1e6)
  if (measure === 'latency_ms') return uncached((i) => measures.value('latency_ms', i))
  return uncached((i) => tokensOf(measures, i))
}

const fillColumn = (
  rows: Map<number, Filling>,
  run: OutlinedRun,
  column: number,
  columns: number,
  rowKey: RowKey,
  measure: GridMeasure | undefined,
) => {
  const cases = readOutline(run.outline)
  const valueOf = measure && run.measures ? measureOf(readMeasures(run.measures), measure) : null
  const filled = new Map<Filling, [passing: number, failing: number]>()
  for (let i = 0; i < cases.size; i++) {
    const key = rowKey(cases, i, run)
    let row = rows.get(key)
    if (!row) rows.set(key, (row = newRow(key, columns, measure !== undefined)))
    const value = valueOf ? valueOf(i) : NaN
    if (!Number.isNaN(value)) {
      row.sums[column] = (row.sums[column] ?? 0) + value
      row.measured[column] = (row.measured[column] ?? 0) + 1
    }
    const mark = cases.mark(i)
    row.marks[column] = foldedMark(row.marks[column] ?? ABSENT, mark)
    if (row.run !== column) {
      row.run = column
      row.n = cases.n(i)
    }
    const verdict = isPassing(mark)
    const trials = filled.get(row) ?? [0, 0]
    if (verdict !== null) trials[verdict ? 0 : 1]++
    filled.set(row, trials)
  }
  for (const [row, [passing, failing]] of filled) {
    if (passing + failing === 0) continue
    const { last } = row.tally
    countRun(row.tally, passing, failing)
    // Not where the flips grow: trials that disagree count as a flip in the first run too, where nothing changed.
    if (last !== null && last !== row.tally.last) {
      row.changed = column
      row.before = row.last
    }
    row.last = column
    row.passed += passing
    row.counted += passing + failing
  }
}

const NO_NAME = ''

const passRateOf = ({ passed, counted }: Filling): number => (counted === 0 ? 1 : passed / counted)

/**
 * Where a row is in an order. Rows that are equal otherwise are in the order of the newest run that has them. Where a row
 * is a test, runs are no series: `failing` is by the pass rate alone, and `flaky` and `changed` put tests first about
 * which the runs disagree most.
 */
const tupleOf = (order: GridOrder, row: Filling, identity: Identity | undefined, fold: GridFold | null): Tuple => {
  const place = [-row.run, row.n, row.key]
  if (fold === 'test' && order === 'failing') return [row.counted === 0 ? 1 : 0, passRateOf(row), ...place]
  if (fold === 'test' && (order === 'flaky' || order === 'changed')) {
    const distance = row.counted === 0 ? 1 : Math.abs(passRateOf(row) - 0.5)
    return [row.counted === 0 ? 1 : 0, distance, ...place]
  }
  if (order === 'changed') return [-row.changed, -row.tally.flips, ...place]
  if (order === 'flaky') return [-row.tally.flips, -row.changed, ...place]
  if (order === 'failing') {
    const verdict = row.last < 0 ? null : isPassing(row.marks[row.last] ?? ABSENT)
    const group = row.last < 0 ? 2 : verdict === true ? 1 : 0
    return [group, passRateOf(row), ...place]
  }
  return [identity?.name ?? identity?.test_id ?? NO_NAME, identity?.test_id ?? NO_NAME, ...place]
}

export type GridFilters = {
  readonly runs: number
  readonly branch?: string | undefined
  readonly order: GridOrder
  readonly q?: string | undefined
  readonly fold?: (typeof GRID_FOLDS)[number] | undefined
  readonly measure?: GridMeasure | undefined
}

/** Where a row is a test, only what all its cases share is searched. */
const matchesText = (identity: Identity | undefined, needle: string, fold: GridFold | null): boolean => {
  if (!identity) return false
  const { name, test_id, provider_id, prompt_id, case_key } = identity
  const searched = fold === 'test' ? [name, test_id] : [name, test_id, provider_id, prompt_id, case_key]
  return searched.some((value) => value?.toLowerCase().includes(needle))
}

/**
 * The grid of a suite; null for an unknown or hidden one. It is made of the outlines of the runs; identities of cases
 * are read only for the rows of the page, unless the order or the filter needs all of them.
 */
export const findGrid = async (
  reader: Reader,
  viewer: Viewer,
  suite: Suite,
  { runs: limitOfRuns, branch, order, q, fold: asked, measure }: GridFilters,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<SuiteGrid | null> => {
  const key = await reader.read(findSet(viewer, suite))
  if (key === null) return null
  const runs = (await reader.read(listOutlines(key, limitOfRuns, branch, measure !== undefined))).reverse()
  const filled = new Map<number, Filling>()
  const tests = testsReader(reader)
  const fold = asked === 'auto' ? ((await isByTest(tests, runs)) ? 'test' : null) : (asked ?? null)
  const rowKey: RowKey =
    fold === 'test'
      ? await rowByTest(tests, runs)
      : (cases, i) => (fold === 'trials' ? cases.unitKey(i) : cases.historyKey(i))
  for (const [column, run] of runs.entries()) fillColumn(filled, run, column, runs.length, rowKey, measure)

  const placeOf = (row: Filling) => ({ run_no: runs[row.run]?.run_no ?? 0, n: row.n })
  const needle = q?.toLowerCase() ?? ''
  const all = [...filled.values()]
  const known = needle !== '' || order === 'name' ? await readIdentities(reader, all.map(placeOf)) : null
  const matching = needle === '' ? all : all.filter((row) => matchesText(known?.(placeOf(row)), needle, fold))
  const ordered = matching
    .map((row) => ({ row, tuple: tupleOf(order, row, known?.(placeOf(row)), fold) }))
    .sort((a, b) => compareTuples(a.tuple, b.tuple))
  const after = parseTupleCursor(cursor, tupleOf(order, newRow(0, 0), undefined, fold))
  const from = after ? ordered.findIndex(({ tuple }) => compareTuples(tuple, after) > 0) : 0
  const rest = from < 0 ? [] : ordered.slice(from, from + limit + 1)
  const { rows, next_cursor } = page(rest, limit, ({ tuple }) => tupleCursorText(tuple))
  const identityOf =
    known ??
    (await readIdentities(
      reader,
      rows.map(({ row }) => placeOf(row)),
    ))
  const medians = after || !isOfManyModels(runs) ? null : await readMedians(reader, runs)
  return {
    runs: runs.map((run) => gridRun(run, medians)),
    rows: rows.flatMap(({ row }) => {
      const identity = identityOf(placeOf(row))
      return identity ? [gridRow(row, identity, runs, fold)] : []
    }),
    row_count: ordered.length,
    fold,
    newest_providers: after ? [] : await readProviders(reader, runs.at(-1)),
    next_cursor,
  }
}

const gridRun = (
  run: OutlinedRun,
  medians: Awaited<ReturnType<typeof readMedians>> | null,
): z.infer<typeof GridRun> => ({
  id: run.id,
  created_at: rfc3339(run.created_at),
  note: run.note,
  git_branch: orNull(run.git_branch),
  git_commit: orNull(run.git_commit),
  config_digest: orNull(run.config_digest),
  digests: run.digests,
  case_count: run.case_count,
  pass_count: run.pass_count,
  ...(run.pass_interval && { pass_interval: run.pass_interval }),
  fail_count: run.fail_count,
  error_count: run.error_count,
  provider_ids: columnProviders(run.matrix_columns),
  ...(medians && {
    cost_usd_median: usd(medians.get(run.run_no)?.cost ?? null),
    latency_ms_median: medians.get(run.run_no)?.latency ?? null,
  }),
})

/** Digits of a mean: more than a cell can show. */
const DIGITS = 4
const meansOf = ({ sums, measured }: Filling): Array<number | null> =>
  sums.map((sum, column) => {
    const cases = measured[column] ?? 0
    return cases === 0 ? null : Number((sum / cases).toPrecision(DIGITS))
  })

const gridRow = (
  row: Filling,
  { case_key, test_id, provider_id, prompt_id, repeat, name }: Identity,
  runs: readonly OutlinedRun[],
  fold: GridFold | null,
): z.infer<typeof GridRow> => {
  const run = fold === 'test' ? undefined : runs[row.changed]
  return {
    case_key,
    test_id,
    provider_id: fold === 'test' ? null : provider_id,
    prompt_id: fold === 'test' ? null : prompt_id,
    repeat: fold === null ? repeat : null,
    name,
    marks: row.marks.join(''),
    ...(row.sums.length > 0 ? { values: meansOf(row) } : {}),
    flips: fold === 'test' ? 0 : row.tally.flips,
    last_change: run
      ? {
          run_id: run.id,
          created_at: rfc3339(run.created_at),
          from: row.marks[row.before] ?? ABSENT,
          to: row.marks[row.changed] ?? ABSENT,
        }
      : null,
    passed: row.passed,
    counted: row.counted,
  }
}
