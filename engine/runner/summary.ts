import type { CaseDocument, RunSummary } from './run-document.ts'

const MICRO = 1_000_000

/**
 * The totals of a run. Money is summed in whole micro-USD, so that the order of the cases does not matter. The costs of
 * cached cases count, and are also the savings.
 */
export const summarize = (cases: readonly CaseDocument[]): RunSummary => {
  const count = (status: CaseDocument['status']) => cases.filter((item) => item.status === status).length
  const tokens = (read: (usage: NonNullable<CaseDocument['usage']>) => number | undefined) =>
    cases.reduce((sum, { usage }) => sum + ((usage && read(usage)) ?? 0), 0)
  const cost = sumUsd(cases.map(({ cost_usd }) => cost_usd))
  const savings = sumUsd(cases.map(({ cached, cost_usd }) => (cached ? cost_usd : undefined)))
  const grading = sumUsd(cases.flatMap(({ asserts }) => asserts.map(({ cost_usd }) => cost_usd)))
  const emptyCounts = countEmpty(cases)
  const optional = {
    xfailed: count('xfail'),
    xpassed: count('xpass'),
    cache_read_tokens: tokens((usage) => usage.cache_read_tokens),
    cache_write_tokens: tokens((usage) => usage.cache_write_tokens),
    cache_savings_usd: savings ?? 0,
    fallback_cases: cases.filter(
      ({ status, answered_by_provider_id }) => status !== 'skip' && answered_by_provider_id !== undefined,
    ).length,
  }
  return {
    total: cases.length,
    passed: count('pass'),
    failed: count('fail'),
    errored: count('error'),
    skipped: count('skip'),
    prompt_tokens: tokens((usage) => usage.input_tokens + (usage.cache_read_tokens ?? 0)),
    completion_tokens: tokens((usage) => usage.output_tokens),
    cache_hits: cases.filter(({ cached }) => cached).length,
    cache_misses: cases.filter(({ cached }) => !cached).length,
    retried_cases: cases.filter(({ cached, attempts }) => !cached && attempts > 1).length,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value > 0)),
    ...(cost !== null && { cost_usd: cost }),
    ...(grading !== null && { grader_cost_usd: grading }),
    ...(Object.keys(emptyCounts).length > 0 && { empty_counts: emptyCounts }),
  }
}

/** Null if no amount is known. */
const sumUsd = (amounts: ReadonlyArray<number | undefined>): number | null => {
  let micros: number | null = null
  for (const amount of amounts) if (amount !== undefined) micros = (micros ?? 0) + Math.round(amount * MICRO)
  return micros === null ? null : micros / MICRO
}

const countEmpty = (cases: readonly CaseDocument[]): Record<string, number> => {
  const counts = new Map<string, number>()
  for (const { empty_reason } of cases)
    if (empty_reason !== undefined && empty_reason !== '') counts.set(empty_reason, (counts.get(empty_reason) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}
