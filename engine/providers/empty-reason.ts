import { EMPTY_REASONS } from '../../domain/cache/empty-reasons.ts'
import { isRawNumber } from '../../domain/run/canonical-json.ts'
import type { Json } from '../json.ts'

const MOST_SPECIFIC_FIRST = [...EMPTY_REASONS]

const OF_STOP_REASON: Readonly<Record<string, string>> = {
  max_tokens: 'truncated',
  length: 'truncated',
  content_length: 'truncated',
  refusal: 'refusal',
  content_filter: 'content_filter',
  safety: 'content_filter',
  tool_use: 'tool_use_only',
  tool_calls: 'tool_use_only',
  function_call: 'tool_use_only',
}

/** Whether an output counts as empty: no output, text without visible characters, null, `[]` or `{}`. */
export const isBlank = (output: Json | undefined): boolean => {
  if (output === undefined || output === null) return true
  if (typeof output === 'string') return output.trim() === ''
  if (typeof output !== 'object' || isRawNumber(output)) return false
  return Array.isArray(output) ? output.length === 0 : Object.keys(output).length === 0
}

/** The reason for an empty output that the finish reason of a vendor implies; undefined: none. */
export const reasonOfStop = (stopReason: string | undefined): string | undefined => {
  const key = stopReason?.trim().toLowerCase() ?? ''
  return Object.hasOwn(OF_STOP_REASON, key) ? OF_STOP_REASON[key] : undefined
}

/**
 * The most specific of the candidates, or `blank`, for an output that is blank; undefined for any other. A candidate
 * that this version does not know comes after those that it knows.
 */
export const classifyEmpty = (
  output: Json | undefined,
  candidates: ReadonlyArray<string | undefined>,
): string | undefined => {
  if (!isBlank(output)) return undefined
  const present = new Set(candidates.filter((candidate) => candidate !== undefined))
  const known = MOST_SPECIFIC_FIRST.find((reason) => present.has(reason))
  return known ?? [...present][0] ?? 'blank'
}
