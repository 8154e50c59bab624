import { addCounted, meanOfCounted } from '../statistics/totals.ts'
import type { CaseStatus } from './document.ts'
import type { CaseFacts } from './facts.ts'

type Column = { readonly provider_id: string; readonly prompt_id: string | null }

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
 * The matrix of a run. `rows` are in first-seen order, `n` being the place of the test's first case. Of its cells a row
 * names those that have cases, by their column: a run of many tests in columns of their own would have far more empty
 * ones.
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

/** The matrix of (provider, prompt) columns by tests. Cases without a provider or a test id are left out. */
export const matrixOf = (cases: readonly CaseFacts[]): MatrixFacts => {
  const columns = new Map<string, { readonly index: number; readonly column: Column }>()
  const rows = new Map<string, { readonly n: number; name: string | null; readonly cells: Map<number, CaseFacts[]> }>()
  const costs = new Map<string, { cases: number; cost_micro: number | null }>()
  for (const each of cases) {
    const { provider_id, prompt_id, test_id } = each
    if (provider_id === '' || test_id === '') continue
    const key = JSON.stringify([provider_id, prompt_id])
    const column = columns.get(key) ?? { index: columns.size, column: { provider_id, prompt_id } }
    columns.set(key, column)
    const row = rows.get(test_id) ?? { n: each.n, name: null, cells: new Map<number, CaseFacts[]>() }
    rows.set(test_id, row)
    row.name ??= each.name
    const members = row.cells.get(column.index)
    if (members) members.push(each)
    else row.cells.set(column.index, [each])
    const answering = each.answered_by_provider_id ?? provider_id
    const cost = costs.get(answering) ?? { cases: 0, cost_micro: null }
    costs.set(answering, { cases: cost.cases + 1, cost_micro: sum(cost.cost_micro, each.cost_micro) })
  }
  return {
    columns: [...columns.values()].map(({ column }) => column),
    rows: [...rows].map(([test_id, { n, name, cells }]) => ({
      n,
      test_id,
      name,
      cells: [...cells].map(([column, members]) => [column, cellOf(members)] as const),
    })),
    provider_costs: [...costs].map(([provider_id, { cases: count, cost_micro }]) => ({
      provider_id,
      cases: count,
      cost_usd: cost_micro === null ? null : cost_micro / 1e6,
    })),
  }
}

/** `cellOf` of the common cell, which one case fills. */
const cellOfOne = (only: CaseFacts): Cell => {
  const { status, score, latency_ms, cost_micro, output_hash, case_key, answered_by_provider_id, provider_id } = only
  const stoodIn = answered_by_provider_id !== null && answered_by_provider_id !== provider_id
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
    fallback_answered: stoodIn && status !== 'skip' ? 1 : 0,
    case_keys: [case_key],
  }
}

const sum = (a: number | null, b: number | null): number | null => (b === null ? a : addCounted(a ?? 0, b))

/** A mean that stays finite where the sum of huge scores would not. */
const mean = (values: readonly number[]): number | null => {
  if (values.length === 0) return null
  const total = values.reduce((a, b) => a + b, 0)
  return Number.isFinite(total) ? total / values.length : values.reduce((a, b) => a + b / values.length, 0)
}

const cellOf = (members: readonly CaseFacts[]): Cell => {
  const [first] = members
  if (first && members.length === 1) return cellOfOne(first)
  const counters = { passed: 0, failed: 0, errored: 0, skipped: 0, xfailed: 0, xpassed: 0 }
  const outputs = new Set<string>()
  let cost_micro: number | null = null
  let fallback_answered = 0
  for (const each of members) {
    counters[COUNTER[each.status]]++
    if (each.output_hash !== null) outputs.add(each.output_hash)
    cost_micro = sum(cost_micro, each.cost_micro)
    const stoodIn = each.answered_by_provider_id !== null && each.answered_by_provider_id !== each.provider_id
    if (stoodIn && each.status !== 'skip') fallback_answered++
  }
  return {
    total: members.length,
    ...counters,
    score_mean: mean(members.map(({ score }) => score)),
    pass_fraction: counters.passed / members.length,
    distinct_outputs: outputs.size,
    latency_ms_mean: meanOfCounted(mean(members.map(({ latency_ms }) => latency_ms))),
    cost_usd: cost_micro === null ? null : cost_micro / 1e6,
    fallback_answered,
    case_keys: [...members].sort((a, b) => a.repeat - b.repeat || a.n - b.n).map(({ case_key }) => case_key),
  }
}
