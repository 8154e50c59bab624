import type { StorePolicy } from '../suite/suite.ts'

/** Reasons that the same request will give again: the policy `reproducible` stores such responses. */
const REPRODUCIBLE: ReadonlySet<string> = new Set(['truncated', 'tool_use_only', 'output_expr_empty'])

/**
 * Whether the cache may store a response. `emptyReason` is the effective one: the classification of a blank output, or
 * else `refusal` if a pattern matches; null for an output that is neither blank nor refused, which is always stored.
 */
export const isStored = (emptyReason: string | null, policy: StorePolicy): boolean => {
  if (emptyReason === null || policy === 'always') return true
  return policy === 'reproducible' && REPRODUCIBLE.has(emptyReason)
}
