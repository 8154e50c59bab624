import type { Usage } from '../../document/case/case-draft.ts'
import type { Row } from '../../read/row.ts'

/** Tokens and money of a sample. Null costs are unknown. */
export type Spent = {
  readonly usage: Usage | null
  readonly costUsd: number | null
  readonly gradingUsd: number | null
}

/** Roles of models that grade: what they used is not the usage of the system under test. */
const GRADERS = /grad|judg|scor|critic/i

type Field = 'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'cache_write_tokens'
type Counts = Record<Field, number> & { cost: number | null }

/**
 * Takes the tokens of a sample. Its `model_usage` has those of all models, graders included; `role_usage` separates the
 * graders in newer logs. A log without either has the usage of the last call in its output.
 */
export const takeUsage = (row: Row): Spent => {
  const models = countsIn(row.row('model_usage'))
  const roles = row.row('role_usage')
  const grading = countsIn(roles, (role) => GRADERS.test(role))
  const last = row.row('output')?.row('usage') ?? null
  const all = models ?? (last === null ? null : tokenCounts(last))
  if (all === null) return { usage: null, costUsd: null, gradingUsd: null }
  const own = (field: Field) => Math.max(0, all[field] - (grading?.[field] ?? 0))
  const [cacheRead, cacheWrite] = [own('cache_read_tokens'), own('cache_write_tokens')]
  return {
    usage: {
      input_tokens: own('input_tokens'),
      output_tokens: own('output_tokens'),
      ...(cacheRead > 0 && { cache_read_tokens: cacheRead }),
      ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }),
    },
    costUsd: all.cost === null ? null : Math.max(0, all.cost - (grading?.cost ?? 0)),
    gradingUsd: grading?.cost ?? null,
  }
}

/** The sum over the members of a map of usages; null if there are none. */
const countsIn = (row: Row | null, isWanted: (key: string) => boolean = () => true): Counts | null => {
  const found = (row?.keys() ?? []).filter(isWanted).flatMap((key) => row?.row(key) ?? [])
  if (found.length === 0) return null
  return found.map(tokenCounts).reduce((sum, counts) => ({
    input_tokens: sum.input_tokens + counts.input_tokens,
    output_tokens: sum.output_tokens + counts.output_tokens,
    cache_read_tokens: sum.cache_read_tokens + counts.cache_read_tokens,
    cache_write_tokens: sum.cache_write_tokens + counts.cache_write_tokens,
    cost: sum.cost === null && counts.cost === null ? null : (sum.cost ?? 0) + (counts.cost ?? 0),
  }))
}

/** Reads a usage. Its members stay in the row: the sums of the case do not show them. */
const tokenCounts = (row: Row): Counts => {
  const count = (key: string): number => {
    const value = row.peek(key)
    return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
  }
  const [input, output, cacheRead] = [count('input_tokens'), count('output_tokens'), count('input_tokens_cache_read')]
  // Older logs of OpenAI models count cached tokens as input too: then input and output are the total in spite of them.
  const isIncluded = cacheRead > 0 && input + output === count('total_tokens')
  const cost = row.peek('total_cost')
  return {
    input_tokens: isIncluded ? Math.max(0, input - cacheRead) : input,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: count('input_tokens_cache_write'),
    cost: typeof cost === 'number' && Number.isFinite(cost) && cost > 0 ? cost : null,
  }
}
