import { z } from 'zod'
import { decisionOf } from '../../domain/statistics/comparison.ts'
import { quantile } from '../../domain/statistics/histogram.ts'
import { meanOf, median } from '../../domain/statistics/means.ts'
import { chooseJoin, joinKey, JOINS } from '../../domain/statistics/pairing.ts'
import { page, usd } from '../../domain/wire.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { AgainstBase, compareRuns } from './against-base.ts'
import { ComparedCell } from './compared-cases.ts'
import { listLabels, readOutcomes, type OutcomeRow } from './outcomes.ts'
import { MEASURES, sortedValues } from './run-statistics.ts'
import { ComparedRunView, findSide, viewOfSide, type SideRow } from './side.ts'

const count = z.number().int()
const text = z.string().nullable()
const number = z.number().nullable()

const Cell = ComparedCell.extend({
  /** The verdict is not that of the base, or of the first run with the case if the base does not have it. */
  differs: z.boolean(),
})

const Row = z.object({
  key: z.string(),
  case_key: z.string(),
  name: text,
  test_id: text,
  /** Null if the runs have different ones. */
  provider_id: text,
  prompt_id: text,
  repeat: count.nullable(),
  differs: z.boolean(),
  /** In the order of `runs`; null where a run does not have the case. */
  cells: z.array(Cell.nullable()),
})

/** Two to eight runs, each against one base, and their cases row by row. */
export const ManyRuns = z
  .object({
    base: z.string(),
    joined_by: z.enum(JOINS),
    runs: z.array(
      z.object({
        run: ComparedRunView,
        score_mean: number,
        latency_ms_median: number,
        latency_ms_p95: number,
        /** Of a case, in dollars. */
        cost_usd_median: number,
        input_tokens_median: number,
        output_tokens_median: number,
        /** Null for the base. */
        against_base: AgainstBase.nullable(),
      }),
    ),
    /** Rows by what they show, whatever the filter. */
    counts: z.object({ all: count, in_every_run: count, differ: count, all_passed: count, all_failed: count }),
    rows: z.array(Row),
    next_cursor: text,
  })
  .meta({ id: 'ManyRuns' })
export type ManyRuns = z.infer<typeof ManyRuns>

export const MIN_RUNS = 2
export const MAX_RUNS = 8

/** Which rows are listed. `worse` and `better`: those of one run against the base. */
export type RowFilter =
  | { readonly show: 'differ' | 'all' | 'all_passed' | 'all_failed' }
  | { readonly show: 'worse' | 'better'; readonly run: string }

/** Reads `differ`, `all`, `all_passed`, `all_failed`, `worse:RUN` or `better:RUN`; null for any other text. */
export const parseRowFilter = (given: string): RowFilter | null => {
  const [, show, run] = /^(differ|all|all_passed|all_failed|worse|better)(?::(.+))?$/s.exec(given) ?? []
  if (show === 'worse' || show === 'better') return run === undefined ? null : { show, run }
  if (run !== undefined) return null
  return show === 'differ' || show === 'all' || show === 'all_passed' || show === 'all_failed' ? { show } : null
}

type Joined = {
  readonly key: string
  /** The position of the row in the join, which breaks ties. */
  readonly at: number
  readonly cells: Array<OutcomeRow | null>
  /** How many runs have another verdict than the base; without a base, than the first run that has the case. */
  disagreeing: number
}

const reference = ({ cells }: Joined, base: number): OutcomeRow | null =>
  cells[base] ?? cells.find((cell) => cell !== null) ?? null

/** Joins the cases of all runs: in the order of the base, then those of the other runs. */
const joinAll = (runs: ReadonlyArray<readonly OutcomeRow[]>, base: number, join: (typeof JOINS)[number]): Joined[] => {
  const rows = new Map<string, Joined>()
  for (const run of [base, ...runs.keys()])
    for (const outcome of runs[run] ?? []) {
      const key = joinKey(outcome, join)
      const row = rows.get(key) ?? {
        key,
        at: rows.size,
        cells: new Array<OutcomeRow | null>(runs.length).fill(null),
        disagreeing: 0,
      }
      rows.set(key, row)
      row.cells[run] = outcome
    }
  for (const row of rows.values()) {
    const decision = decisionOf(reference(row, base)?.status ?? 'skip')
    row.disagreeing = row.cells.filter((cell) => cell !== null && decisionOf(cell.status) !== decision).length
  }
  return [...rows.values()]
}

const isAll = ({ cells }: Joined, decision: 'passing' | 'failing'): boolean =>
  cells.every((cell) => cell !== null && decisionOf(cell.status) === decision)

const shown = {
  all: () => true,
  differ: ({ disagreeing }: Joined) => disagreeing > 0,
  all_passed: (row: Joined) => isAll(row, 'passing'),
  all_failed: (row: Joined) => isAll(row, 'failing'),
} as const

const matcher = (filter: RowFilter, ids: readonly string[], base: number): ((row: Joined) => boolean) => {
  if (!('run' in filter)) return shown[filter.show]
  const run = ids.indexOf(filter.run)
  const [from, to] = filter.show === 'worse' ? (['passing', 'failing'] as const) : (['failing', 'passing'] as const)
  return ({ cells }) => {
    const [before, after] = [cells[base], cells[run]]
    return !!before && !!after && decisionOf(before.status) === from && decisionOf(after.status) === to
  }
}

/** Null for text that is not a cursor: the list then starts with the first page. */
const parseCursor = (cursor: string | undefined): { disagreeing: number; at: number } | null => {
  const [, disagreeing, at] = /^(\d):(\d{1,7})$/.exec(cursor ?? '') ?? []
  return at === undefined ? null : { disagreeing: Number(disagreeing), at: Number(at) }
}

const common = (cells: readonly OutcomeRow[], of: (cell: OutcomeRow) => string | null): string | null => {
  const [first = null, ...others] = new Set(cells.map(of))
  return others.length === 0 ? first : null
}

const rowView = (row: Joined, base: number, name: string | null): z.infer<typeof Row> => {
  const present = row.cells.filter((cell) => cell !== null)
  const named = reference(row, base)
  const decision = named && decisionOf(named.status)
  return {
    key: row.key.replaceAll('\0', ' '),
    case_key: named?.case_key ?? '',
    name,
    test_id: named?.test_id ?? null,
    provider_id: common(present, ({ provider_id }) => provider_id),
    prompt_id: common(present, ({ prompt_id }) => prompt_id),
    repeat: named?.repeat ?? null,
    differs: row.disagreeing > 0,
    cells: row.cells.map(
      (cell) =>
        cell && {
          case_key: cell.case_key,
          status: cell.status,
          score: cell.score,
          latency_ms: MEASURES.latency_ms(cell),
          output_tokens: MEASURES.output_tokens(cell),
          cost_usd: usd(cell.cost_micro),
          differs: decisionOf(cell.status) !== decision,
        },
    ),
  }
}

const medianOf = (outcomes: readonly OutcomeRow[], of: (outcome: OutcomeRow) => number | null): number | null =>
  median(
    outcomes
      .filter(({ status }) => status !== 'skip')
      .map(of)
      .filter((value) => value !== null),
  )

const scoreMean = (outcomes: readonly OutcomeRow[]): number | null => {
  const scores = outcomes.flatMap(({ status, score }) =>
    score === null || decisionOf(status) === 'neutral' ? [] : [score],
  )
  return scores.length === 0 ? null : meanOf(scores)
}

/** The name of each row: that of its first case with a name. */
const readNames = async (
  reader: Reader,
  sides: ReadonlyArray<SideRow | null>,
  rows: readonly Joined[],
): Promise<ReadonlyMap<Joined, string>> => {
  const names = new Map<Joined, string>()
  for (const [run, side] of sides.entries()) {
    const unnamed = rows.filter((row) => !names.has(row))
    const numbers = unnamed.flatMap(({ cells }) => cells[run]?.n ?? [])
    const found = new Map((await reader.read(listLabels(side?.run_no ?? 0, numbers))).map((row) => [row.n, row.name]))
    for (const row of unnamed) {
      const name = found.get(row.cells[run]?.n ?? -1) ?? null
      if (name !== null) names.set(row, name)
    }
  }
  return names
}

type Asked = {
  readonly runs: readonly string[]
  readonly base: string
  readonly filter: RowFilter
  readonly limit: number
  readonly cursor?: string | undefined
}

/**
 * Compares runs with one base; null if one is unknown, hidden or deleted. Rows with the most disagreement are first.
 * Reads all cases of all runs, so it must run on a reader thread.
 */
export const compareMany = async (
  reader: Reader,
  viewer: Viewer,
  { runs: ids, base: base_id, filter, limit, cursor }: Asked,
): Promise<ManyRuns | null> => {
  const sides = Object.values(
    await reader.readAll(Object.fromEntries(ids.map((id, i) => [`run${i}`, findSide(viewer, id)] as const))),
  )
  const runs: OutcomeRow[][] = []
  for (const side of sides) {
    const outcomes = side && (await readOutcomes(reader, viewer, side))
    if (!outcomes) return null
    runs.push(outcomes)
  }
  const base = ids.indexOf(base_id)
  const baseCases = runs[base] ?? []
  const others = runs.filter((_, i) => i !== base)
  const joined_by = chooseJoin([baseCases, ...others])
  const verdicts = compareRuns(baseCases, others, joined_by)
  const rows = joinAll(runs, base, joined_by)
  const after = parseCursor(cursor)
  const isAfter = ({ disagreeing, at }: Joined): boolean =>
    after === null || disagreeing < after.disagreeing || (disagreeing === after.disagreeing && at > after.at)
  const wanted = rows
    .filter(matcher(filter, ids, base))
    .filter(isAfter)
    .sort((a, b) => b.disagreeing - a.disagreeing || a.at - b.at)
  const { rows: listed, next_cursor } = page(wanted, limit, ({ disagreeing, at }) => `${disagreeing}:${at}`)
  const names = await readNames(reader, sides, listed)
  const views: ManyRuns['runs'] = []
  for (const [i, side] of sides.entries()) {
    const outcomes = runs[i] ?? []
    if (!side) return null
    views.push({
      run: await viewOfSide(reader, side, outcomes),
      score_mean: scoreMean(outcomes),
      latency_ms_median: medianOf(outcomes, MEASURES.latency_ms),
      latency_ms_p95: quantile(sortedValues(outcomes, MEASURES.latency_ms), 0.95),
      cost_usd_median: usd(medianOf(outcomes, ({ cost_micro }) => cost_micro)),
      input_tokens_median: medianOf(outcomes, MEASURES.input_tokens),
      output_tokens_median: medianOf(outcomes, MEASURES.output_tokens),
      against_base: i === base ? null : (verdicts[i < base ? i : i - 1] ?? null),
    })
  }
  return {
    base: base_id,
    joined_by,
    runs: views,
    counts: {
      all: rows.length,
      in_every_run: rows.filter(({ cells }) => cells.every((cell) => cell !== null)).length,
      differ: rows.filter(({ disagreeing }) => disagreeing > 0).length,
      all_passed: rows.filter((row) => isAll(row, 'passing')).length,
      all_failed: rows.filter((row) => isAll(row, 'failing')).length,
    },
    rows: listed.map((row) => rowView(row, base, names.get(row) ?? null)),
    next_cursor,
  }
}
