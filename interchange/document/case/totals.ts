import type { CaseDocument } from './case-document.ts'

const MICRO = 1_000_000

/** Sums the cases of a run, one by one. Money is summed in whole micro-USD, as the summary of a run document wants it. */
export const newTotals = () => {
  const byStatus = new Map<string, number>()
  const empty = new Map<string, number>()
  let total = 0
  let [input, output, cacheRead, cacheWrite] = [0, 0, 0, 0]
  let [hits, misses, retried] = [0, 0, 0]
  let cost: number | null = null
  let grading: number | null = null
  let savings = 0
  return {
    add: (item: CaseDocument): void => {
      total += 1
      byStatus.set(item.status, (byStatus.get(item.status) ?? 0) + 1)
      const { usage } = item
      input += (usage?.['input_tokens'] ?? 0) + (usage?.['cache_read_tokens'] ?? 0)
      output += usage?.['output_tokens'] ?? 0
      cacheRead += usage?.['cache_read_tokens'] ?? 0
      cacheWrite += usage?.['cache_write_tokens'] ?? 0
      if (item.cached) hits += 1
      else misses += 1
      if (!item.cached && item.attempts > 1) retried += 1
      if (item.cost_usd !== undefined) {
        cost = (cost ?? 0) + Math.round(item.cost_usd * MICRO)
        if (item.cached) savings += Math.round(item.cost_usd * MICRO)
      }
      for (const { cost_usd } of item.asserts)
        if (cost_usd !== undefined) grading = (grading ?? 0) + Math.round(cost_usd * MICRO)
      if (item.empty_reason) empty.set(item.empty_reason, (empty.get(item.empty_reason) ?? 0) + 1)
    },
    count: (): number => total,
    statuses: (): Record<string, number> => Object.fromEntries([...byStatus].sort(([a], [b]) => (a < b ? -1 : 1))),
    summary: (): Record<string, unknown> => {
      const count = (status: string) => byStatus.get(status) ?? 0
      return {
        total,
        passed: count('pass'),
        failed: count('fail'),
        errored: count('error'),
        skipped: count('skip'),
        prompt_tokens: input,
        completion_tokens: output,
        ...(cost !== null && { cost_usd: cost / MICRO }),
        cache_hits: hits,
        cache_misses: misses,
        retried_cases: retried,
        ...(cacheRead > 0 && { cache_read_tokens: cacheRead }),
        ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }),
        ...(savings > 0 && { cache_savings_usd: savings / MICRO }),
        ...(grading !== null && { grader_cost_usd: grading / MICRO }),
        ...(empty.size > 0 && { empty_counts: Object.fromEntries([...empty].sort(([a], [b]) => (a < b ? -1 : 1))) }),
        ...(count('xfail') > 0 && { xfailed: count('xfail') }),
        ...(count('xpass') > 0 && { xpassed: count('xpass') }),
      }
    },
  }
}
