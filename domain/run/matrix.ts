import { addCounts, limitMean } from '../statistics/totals.ts'
import type { CaseStatus } from './document.ts'
import type { CaseFacts } from './case-columns.ts'

type Column = { readonly provider_id: string; readonly prompt_id: string | null }

/** The providers of a run, from the stored JSON of the columns of its matrix; none without a matrix. */
export const columnProviders = (columns: string | null): string[] => [
  ...new Set((JSON.parse(columns ?? '[]') as Column[]).map(({ provider_id }) => provider_id)),
]

type Cell = {
  total: number
  passed: number
  failed: number
  errored: number
  skipped: number
  xfailed: number
  xpassed: number
  score_mean: number | null
  pass_fraction: number
  distinct_outputs: number
  latency_ms_mean: number | null
  cost_usd: number | null
  fallback_answered: number
  case_keys: string[]
}

/**
 * The matrix of a run. `rows` are sorted by `n`, the position of the test's first case. A row lists only the cells that
 * have cases, each with its column: if every test has its own columns, nearly all cells of the matrix are empty.
 */
export type MatrixFacts = {
  readonly columns: readonly Column[]
  readonly rows: ReadonlyArray<{
    readonly n: number
    readonly test_id: string
    readonly name: string | null
    readonly cells: ReadonlyArray<readonly [column: number, cell: Cell]>
  }>
  readonly provider_costs: ReadonlyArray<{
    readonly provider_id: string
    readonly cases: number
    readonly cost_usd: number | null
  }>
}

const COUNTER = {
  pass: 'passed',
  fail: 'failed',
  error: 'errored',
  skip: 'skipped',
  xfail: 'xfailed',
  xpass: 'xpassed',
} as const satisfies Record<CaseStatus, keyof Cell>

/** Returns the matrix of tests by (provider, prompt). Cases without a provider id or a test id are left out. */
export const matrixOf = (cases: readonly CaseFacts[]): MatrixFacts => {
  const columns = new Map<string, { readonly index: number; readonly column: Column }>()
  const rows = new Map<string, { readonly n: number; name: string | null; readonly cells: Map<number, CaseFacts[]> }>()
  const costs = new Map<string, { cases: number; cost_micro: number | null }>()
  for (const facts of cases) {
    const { provider_id, prompt_id, test_id } = facts
    if (provider_id === '' || test_id === '') continue
    const key = JSON.stringify([provider_id, prompt_id])
    const column = columns.get(key) ?? { index: columns.size, column: { provider_id, prompt_id } }
    columns.set(key, column)
    const row = rows.get(test_id) ?? { n: facts.n, name: null, cells: new Map<number, CaseFacts[]>() }
    rows.set(test_id, row)
    row.name ??= facts.name
    const members = row.cells.get(column.index)
    if (members) members.push(facts)
    else row.cells.set(column.index, [facts])
    const answering = facts.answered_by_provider_id ?? provider_id
    const cost = costs.get(answering) ?? { cases: 0, cost_micro: null }
    costs.set(answering, { cases: cost.cases + 1, cost_micro: sum(cost.cost_micro, facts.cost_micro) })
  }
  return {
    columns: [...columns.values()].map(({ column }) => column),
    rows: [...rows].map(([test_id, { n, name, cells }]) => ({
      n,
      test_id,
      name,
      cells: [...cells].map(([column, members]) => [column, trialsCell(members)] as const),
    })),
    provider_costs: [...costs].map(([provider_id, { cases: count, cost_micro }]) => ({
      provider_id,
      cases: count,
      cost_usd: cost_micro === null ? null : cost_micro / 1e6,
    })),
  }
}

/** A faster `trialsCell` for the most frequent cell, which has one case. */
const cellOfOne = (only: CaseFacts): Cell => {
  const { status, score, latency_ms, cost_micro, output_hash, case_key, answered_by_provider_id, provider_id } = only
  const isFallback = answered_by_provider_id !== null && answered_by_provider_id !== provider_id
  return {
    total: 1,
    passed: status === 'pass' ? 1 : 0,
    failed: status === 'fail' ? 1 : 0,
    errored: status === 'error' ? 1 : 0,
    skipped: status === 'skip' ? 1 : 0,
    xfailed: status === 'xfail' ? 1 : 0,
    xpassed: status === 'xpass' ? 1 : 0,
    score_mean: score,
    pass_fraction: status === 'pass' ? 1 : 0,
    distinct_outputs: output_hash === null ? 0 : 1,
    latency_ms_mean: latency_ms,
    cost_usd: cost_micro === null ? null : cost_micro / 1e6,
    fallback_answered: isFallback && status !== 'skip' ? 1 : 0,
    case_keys: [case_key],
  }
}

const sum = (a: number | null, b: number | null): number | null => (b === null ? a : addCounts(a ?? 0, b))

/** Returns a mean that is finite even if the sum of huge scores is not. */
const mean = (values: readonly number[]): number | null => {
  if (values.length === 0) return null
  const total = values.reduce((a, b) => a + b, 0)
  return Number.isFinite(total) ? total / values.length : values.reduce((a, b) => a + b / values.length, 0)
}

const trialsCell = (members: readonly CaseFacts[]): Cell => {
  const [first] = members
  if (first && members.length === 1) return cellOfOne(first)
  const counters = { passed: 0, failed: 0, errored: 0, skipped: 0, xfailed: 0, xpassed: 0 }
  const outputs = new Set<string>()
  let cost_micro: number | null = null
  let fallback_answered = 0
  for (const { status, output_hash, cost_micro: cost, answered_by_provider_id, provider_id } of members) {
    counters[COUNTER[status]]++
    if (output_hash !== null) outputs.add(output_hash)
    cost_micro = sum(cost_micro, cost)
    const isFallback = answered_by_provider_id !== null && answered_by_provider_id !== provider_id
    if (isFallback && status !== 'skip') fallback_answered++
  }
  return {
    total: members.length,
    ...counters,
    score_mean: mean(members.map(({ score }) => score)),
    pass_fraction: counters.passed / members.length,
    distinct_outputs: outputs.size,
    latency_ms_mean: limitMean(mean(members.map(({ latency_ms }) => latency_ms))),
    cost_usd: cost_micro === null ? null : cost_micro / 1e6,
    fallback_answered,
    case_keys: [...members].sort((a, b) => a.repeat - b.repeat || a.n - b.n).map(({ case_key }) => case_key),
  }
}
