import { timeOfMs } from '../../document/time/times.ts'
import { tokenUsage } from '../../document/case/token-usage.ts'
import type { Usage } from '../../document/case/case-draft.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { innerJson } from '../../read/json/inner-json.ts'
import { numberAt, textAt } from '../../read/members.ts'
import type { JsonObject } from '../../read/row.ts'
import type { Span } from './records.ts'

/** What a span does. */
export type Operation = 'agent' | 'model' | 'tool' | 'other'

const OPERATIONS: ReadonlyMap<string | null, Operation> = new Map([
  ['invoke_agent', 'agent'],
  ['create_agent', 'agent'],
  ['invoke_workflow', 'agent'],
  ['chat', 'model'],
  ['text_completion', 'model'],
  ['generate_content', 'model'],
  ['embeddings', 'model'],
  ['execute_tool', 'tool'],
])

/** Whether a span is the call of a model that answers in words: embeddings are no answer. */
export const answersInWords = (span: Span): boolean =>
  operationOf(span) === 'model' && textAt(span.attributes, 'gen_ai.operation.name') !== 'embeddings'

export const operationOf = ({ attributes }: Span): Operation =>
  OPERATIONS.get(textAt(attributes, 'gen_ai.operation.name')) ?? 'other'

/** RFC 3339 of nanoseconds since 1970, with their digits. */
export const timeOfNanos = (nanos: string | null): string | null => {
  if (nanos === null) return null
  const seconds = timeOfMs(Number(BigInt(nanos) / 1_000_000_000n) * 1000)
  let fraction = nanos.padStart(10, '0').slice(-9)
  while (fraction.endsWith('0')) fraction = fraction.slice(0, -1)
  return seconds === null ? null : `${seconds.slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`
}

/** The milliseconds of a span; null if one of its times is unknown. */
export const durationMs = ({ start, end }: Span): number | null =>
  start === null || end === null || BigInt(end) < BigInt(start) ? null : Number(BigInt(end) - BigInt(start)) / 1e6

const INPUT_TOKENS = ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens']
const OUTPUT_TOKENS = ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens']
const CACHE_READ = ['gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache_read_input_tokens']
const CACHE_WRITE = ['gen_ai.usage.cache_creation.input_tokens', 'gen_ai.usage.cache_creation_input_tokens']
const COST = ['gen_ai.usage.cost', 'gen_ai.usage.total_cost']

const firstNumber = (attributes: JsonObject, names: readonly string[]): number | null => {
  for (const name of names) {
    const found = numberAt(attributes, name)
    if (found !== null) return found
  }
  return null
}

/** The tokens and the cost of the call of a model, and the attributes that say the same. Tokens of the cache are in those of the input. */
export const usageOf = (
  attributes: JsonObject,
): { readonly usage: Usage | null; readonly cost: number | null; readonly read: readonly string[] } => {
  const [read, written] = [firstNumber(attributes, CACHE_READ), firstNumber(attributes, CACHE_WRITE)]
  const input = firstNumber(attributes, INPUT_TOKENS)
  const cached = (read ?? 0) + (written ?? 0)
  const usage = tokenUsage(
    input === null ? null : Math.max(0, input - cached),
    firstNumber(attributes, OUTPUT_TOKENS),
    read,
    written,
  )
  const same = [...OUTPUT_TOKENS, ...COST, ...(cached === 0 ? INPUT_TOKENS : [...CACHE_READ, ...CACHE_WRITE])]
  return {
    usage,
    cost: firstNumber(attributes, COST),
    read: same.filter((name) => numberAt(attributes, name) !== null),
  }
}

/** A value, or what it is as JSON in a text. */
export const valueAt = (attributes: JsonObject, key: string): Json | undefined => {
  const value = attributes[key]
  return typeof value === 'string' && /^\s*[[{"]/.test(value) ? (innerJson(value) ?? value) : value
}
