import { z } from 'zod'
import { CaseRow } from '../../domain/run/case-columns.ts'
import { CASE_STATUSES, type CaseStatus } from '../../domain/run/document.ts'
import { tagsIn } from '../../domain/run/tags.ts'
import { ownText } from '../../domain/text/own-text.ts'
import { histogram, quantile, scoreEdges, wholeEdges, type ValueTally } from '../../domain/statistics/histogram.ts'
import { limitMean } from '../../domain/statistics/totals.ts'
import { usd } from '../../domain/wire.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { columnList } from '../columns.ts'
import { findRun, type Run } from '../runs/run.ts'

const count = z.number().int()
const Counts = z.object(
  Object.fromEntries(CASE_STATUSES.map((status) => [status, count])) as Record<CaseStatus, typeof count>,
)

/** The distribution of one measure over the cases of a run. A bin excludes its `to`, except the last one. */
const Spread = z.object({
  /** Number of cases without the measure. */
  unknown: count,
  /** Over the cases that were not skipped. */
  median: z.number().nullable(),
  p95: z.number().nullable(),
  bins: z.array(z.object({ from: z.number(), to: z.number(), counts: Counts })),
})

const Facet = z.object({ value: z.string(), total: count, passed: count })
const facetValues = z.array(Facet)

/**
 * The distribution of the cases of one run: by score and latency, by filter values, and by column of the matrix.
 */
export const Distribution = z
  .object({
    run_id: z.string(),
    cases: count,
    tests: count,
    /** `two_valued`: every score is 0 or 1. */
    score: Spread.extend({ two_valued: z.boolean() }),
    /** A latency of 0 was not measured. */
    latency_ms: Spread,
    /** The most frequent values of each filter, most cases first, with the number of cases that passed. */
    facets: z.object({
      tag: facetValues,
      provider: facetValues,
      prompt: facetValues,
      stop_reason: facetValues,
      error_class: facetValues,
      empty_reason: facetValues,
    }),
    /**
     * The filters with more than 10,000 different values: only the first 10,000 of the document were counted. Absent if there are
     * none.
     */
    facets_capped: z.array(z.string()).optional(),
    /**
     * In the order of the matrix. `score_mean`, `pass_fraction` and `latency_ms_mean` are over the cells of a column, so each
     * test counts once; those in `over_cases` are over the cases of its cells. Means of score, latency and cost leave out
     * skipped cases, and latencies of 0. Numbers of tests and cases are those that a mean is over.
     */
    columns: z.array(
      z.object({
        provider_id: z.string(),
        prompt_id: z.string().nullable(),
        tests: count,
        score_tests: count,
        latency_tests: count,
        score_mean: z.number().nullable(),
        pass_fraction: z.number(),
        latency_ms_mean: z.number().nullable(),
        over_cases: z.object({
          cases: count,
          pass_fraction: z.number(),
          score_cases: count,
          score_mean: z.number().nullable(),
          latency_cases: count,
          latency_ms_mean: z.number().nullable(),
          cost_cases: count,
          cost_usd_mean: z.number().nullable(),
        }),
      }),
    ),
  })
  .meta({ id: 'Distribution' })
export type Distribution = z.infer<typeof Distribution>

/** Maximum number of values per facet, and of matrix columns, in a response. */
const MAX_VALUES = 100
const MAX_COLUMNS = 1_000

/** Maximum number of different values that a facet counts: a run of 64 MiB can have four million different tags. */
const MAX_COUNTED_VALUES = 10_000

/** Rows that one query reads. */
const ROWS_PER_QUERY = 5_000

const Row = CaseRow.pick({
  n: true,
  status: true,
  score: true,
  latency_ms: true,
  cost_micro: true,
  provider_id: true,
  prompt_id: true,
  test_id: true,
  stop_reason: true,
  error_class: true,
  empty_reason: true,
  tags: true,
})
type Row = z.infer<typeof Row>
const COLUMNS = columnList('cases', Row)

const listRows = ({ run_no }: Run, after: number): Query<Row[]> =>
  any(sql.type(Row)`
    SELECT ${COLUMNS}
    FROM cases WHERE run_no = ${run_no} AND n > ${after} ORDER BY n LIMIT ${ROWS_PER_QUERY}`)

/** Counts values by status. Null counts as unknown. */
const tallies = () => {
  const found = new Map<number, Map<CaseStatus, number>>()
  let unknown = 0
  return {
    add: (value: number | null, status: CaseStatus): void => {
      if (value === null) return void unknown++
      const counts = found.get(value) ?? new Map<CaseStatus, number>()
      found.set(value, counts.set(status, (counts.get(status) ?? 0) + 1))
    },
    /** The distribution over bins. `edgesOf` returns their edges for the smallest and the largest value. */
    spread: (edgesOf: (min: number, max: number) => number[]): z.infer<typeof Spread> => {
      const sorted: ValueTally[] = [...found]
        .sort(([a], [b]) => a - b)
        .flatMap(([value, counts]) => [...counts].map(([status, n]) => ({ value, status, n })))
      const [min, max] = [sorted[0]?.value, sorted.at(-1)?.value]
      const bins = min === undefined || max === undefined ? [] : histogram(sorted, edgesOf(min, max))
      // A skipped case was not run, so what it took says nothing about the system.
      const measured = sorted.filter(({ status }) => status !== 'skip')
      return { unknown, median: quantile(measured, 0.5), p95: quantile(measured, 0.95), bins }
    },
    isTwoValued: (): boolean => [...found.keys()].every((value) => value === 0 || value === 1),
  }
}

/** Counts cases by a value, which a case may lack. */
const facet = () => {
  const found = new Map<string, { total: number; passed: number }>()
  let isCapped = false
  return {
    add: (value: string | null, status: CaseStatus): void => {
      if (value === null) return
      let counts = found.get(value)
      if (!counts) {
        if (found.size >= MAX_COUNTED_VALUES) return void (isCapped = true)
        counts = { total: 0, passed: 0 }
        // A part of a text keeps the whole text in memory.
        found.set(ownText(value), counts)
      }
      counts.total++
      if (status === 'pass') counts.passed++
    },
    isCapped: () => isCapped,
    list: (): Array<z.infer<typeof Facet>> =>
      [...found]
        .map(([value, counts]) => ({ value, ...counts }))
        .sort((a, b) => b.total - a.total || (a.value < b.value ? -1 : 1))
        .slice(0, MAX_VALUES),
  }
}

const SUMS = ['total', 'passed', 'scores', 'score', 'latencies', 'latency', 'costs', 'cost'] as const
type Cell = Record<(typeof SUMS)[number], number>
const noCases = (): Cell => ({ total: 0, passed: 0, scores: 0, score: 0, latencies: 0, latency: 0, costs: 0, cost: 0 })
type Column = { readonly provider_id: string; readonly prompt_id: string | null; readonly cells: Map<string, Cell> }

const mean = (values: ReadonlyArray<number | null>): number | null => {
  const numbers = values.filter((value) => value !== null)
  return numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length
}
const part = (sum: number, n: number): number | null => (n === 0 ? null : sum / n)

/** Collects the cells of the matrix to which the cases belong. */
const matrixColumns = () => {
  const columns = new Map<string, Column>()
  const tests = new Set<string>()
  return {
    add: ({ provider_id, prompt_id, test_id, status, score, latency_ms, cost_micro }: Row): void => {
      // The matrix contains only cases that have a provider and a test.
      if (!provider_id || !test_id) return
      tests.add(test_id)
      const name = JSON.stringify([provider_id, prompt_id])
      const column = columns.get(name) ?? { provider_id, prompt_id, cells: new Map<string, Cell>() }
      columns.set(name, column)
      const cell = column.cells.get(test_id) ?? noCases()
      column.cells.set(test_id, cell)
      cell.total++
      if (status === 'pass') cell.passed++
      if (status === 'skip') return
      if (score !== null) {
        cell.scores++
        cell.score += score
      }
      if (latency_ms !== null && latency_ms > 0) {
        cell.latencies++
        cell.latency += latency_ms
      }
      if (cost_micro !== null) {
        cell.costs++
        cell.cost += cost_micro
      }
    },
    tests: (): number => tests.size,
    list: (): Distribution['columns'] =>
      [...columns.values()].slice(0, MAX_COLUMNS).map(({ provider_id, prompt_id, cells }) => {
        const columnCells = [...cells.values()]
        const all = noCases()
        for (const cell of columnCells) for (const name of SUMS) all[name] += cell[name]
        return {
          provider_id,
          prompt_id,
          tests: columnCells.length,
          score_tests: columnCells.filter(({ scores }) => scores > 0).length,
          latency_tests: columnCells.filter(({ latencies }) => latencies > 0).length,
          score_mean: mean(columnCells.map(({ score, scores }) => part(score, scores))),
          pass_fraction: mean(columnCells.map(({ passed, total }) => passed / total)) ?? 0,
          latency_ms_mean: limitMean(mean(columnCells.map(({ latency, latencies }) => part(latency, latencies)))),
          over_cases: {
            cases: all.total,
            pass_fraction: part(all.passed, all.total) ?? 0,
            score_cases: all.scores,
            score_mean: part(all.score, all.scores),
            latency_cases: all.latencies,
            latency_ms_mean: limitMean(part(all.latency, all.latencies)),
            cost_cases: all.costs,
            cost_usd_mean: usd(part(all.cost, all.costs)),
          },
        }
      }),
  }
}

/**
 * The distribution of a run's cases; null for an unknown or hidden run. Reads every row of the run, so a large run is
 * read in a reader thread.
 */
export const findDistribution = async (
  reader: Reader,
  viewer: Viewer,
  run_id: string,
): Promise<Distribution | null> => {
  const run = await reader.read(findRun(viewer, run_id))
  if (!run) return null
  const [score, latency, columns] = [tallies(), tallies(), matrixColumns()]
  const facets = {
    tag: facet(),
    provider: facet(),
    prompt: facet(),
    stop_reason: facet(),
    error_class: facet(),
    empty_reason: facet(),
  }
  let cases = 0
  for (let after = -1; ;) {
    const rows = await reader.read(listRows(run, after))
    for (const row of rows) {
      cases++
      score.add(row.score, row.status)
      latency.add(row.latency_ms === 0 ? null : row.latency_ms, row.status)
      columns.add(row)
      for (const tag of tagsIn(row.tags)) facets.tag.add(tag, row.status)
      facets.provider.add(row.provider_id, row.status)
      facets.prompt.add(row.prompt_id, row.status)
      facets.stop_reason.add(row.stop_reason, row.status)
      // The filter `error_class` selects the same cases for `unknown`.
      facets.error_class.add(row.error_class ?? (row.status === 'error' ? 'unknown' : null), row.status)
      facets.empty_reason.add(row.empty_reason, row.status)
    }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_QUERY) break
    after = last.n
  }
  // The rows may be incomplete if the run was deleted, or replaced by another upload, while it was read.
  if ((await reader.read(findRun(viewer, run_id)))?.run_no !== run.run_no) return null
  const capped = Object.entries(facets).flatMap(([name, { isCapped }]) => (isCapped() ? [name] : []))
  return {
    run_id: run.id,
    cases,
    tests: columns.tests(),
    score: { ...score.spread(scoreEdges), two_valued: score.isTwoValued() },
    latency_ms: latency.spread(wholeEdges),
    facets: {
      tag: facets.tag.list(),
      provider: facets.provider.list(),
      prompt: facets.prompt.list(),
      stop_reason: facets.stop_reason.list(),
      error_class: facets.error_class.list(),
      empty_reason: facets.empty_reason.list(),
    },
    ...(capped.length > 0 ? { facets_capped: capped } : {}),
    columns: columns.list(),
  }
}
