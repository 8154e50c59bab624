import type { Usage } from '../../document/case/case-draft.ts'
import type { Row } from '../../read/row.ts'

/** Members that are 0 where a provider does not report them. */
const OFTEN_ZERO = ['total', 'cached', 'numRequests'] as const
const OFTEN_ZERO_DETAILS = ['reasoning', 'acceptedPrediction', 'rejectedPrediction'] as const

/**
 * The tokens of a response, without those of assertions. Providers of promptfoo count tokens that were read from the cache
 * of the API, or written to it, as part of `prompt`: they are subtracted if `prompt` is large enough to have them. A response
 * from the cache of promptfoo has `cached` alone, which is the number of all its tokens.
 */
export const promptfooUsage = (row: Row | null): Usage | null => {
  if (row === null) return null
  const details = row.row('completionDetails')
  const total = row.peekNumber('total')
  const prompt = row.number('prompt')
  const completion = row.number('completion')
  const isFromOwnCache = (prompt ?? 0) === 0 && (completion ?? 0) === 0
  const cacheRead = details?.number('cacheReadInputTokens') ?? null
  const cacheWrite = details?.number('cacheCreationInputTokens') ?? null
  const cached = isFromOwnCache ? row.number('cached') : null
  if (total === (prompt ?? 0) + (completion ?? 0) || (isFromOwnCache && total === cached)) row.number('total')
  dropZeros(row, OFTEN_ZERO)
  if (details) dropZeros(details, OFTEN_ZERO_DETAILS)
  dropZeroTokens(row.row('assertions'))
  const cachedTokens = (cacheRead ?? 0) + (cacheWrite ?? 0)
  const input = prompt === null ? null : prompt >= cachedTokens ? prompt - cachedTokens : prompt
  const read = (cacheRead ?? 0) > 0 ? cacheRead : cached
  const usage: Usage = {
    ...(input !== null && { input_tokens: input }),
    ...(completion !== null && { output_tokens: completion }),
    ...((read ?? 0) > 0 && { cache_read_tokens: read! }),
    ...((cacheWrite ?? 0) > 0 && { cache_write_tokens: cacheWrite! }),
  }
  return Object.values(usage).some((tokens) => tokens > 0) ? usage : null
}

/** Takes the zeros of tokens that were not counted, such as those of an assertion without a model. */
export const dropZeroTokens = (row: Row | null): void => {
  if (row === null) return
  dropZeros(row, ['prompt', 'completion', ...OFTEN_ZERO])
  const details = row.row('completionDetails')
  if (details) dropZeros(details, [...OFTEN_ZERO_DETAILS, 'cacheReadInputTokens', 'cacheCreationInputTokens'])
  dropZeroTokens(row.row('assertions'))
}

const dropZeros = (row: Row, keys: readonly string[]) => {
  for (const key of keys) if (row.peek(key) === 0) row.take(key)
}
