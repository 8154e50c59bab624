import { hash } from 'node:crypto'
import { isObject, type Json } from '../plain/is-object.ts'
import { canonicalJson } from '../run/canonical-json.ts'
import { cut } from '../text/cut-text.ts'

// One line of a transcript, which is JSON Lines of the form in docs/evidence.md. Every member may be missing or of another type: what
// cannot be read is left out, and never refused.

/** What happened in an event. */
export const EVENT_TYPES = [
  'span',
  'span_end',
  'message',
  'model',
  'tool',
  'state',
  'score',
  'limit',
  'error',
  'approval',
  'input',
  'log',
  'other',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** The types of what an outline lists: those of events, and `text` for a line that is none. */
export const LISTED_TYPES = [...EVENT_TYPES, 'text'] as const
export type ListedType = (typeof LISTED_TYPES)[number]

export type TranscriptEvent = Readonly<Record<string, Json>> & { readonly type: EventType }

/** Where a transcript comes from, as its first line says. */
export type TranscriptHeader = {
  readonly source: Readonly<Record<string, string>>
  readonly agent: Readonly<Record<string, string>> | null
}

/** The longest line that is read. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const isEventType = (type: unknown): type is EventType => (EVENT_TYPES as readonly unknown[]).includes(type)

/** The event of a line; null if it is none. */
export const readEvent = (line: string): TranscriptEvent | null => {
  const value = parse(line)
  return isObject(value) && isEventType(value['type']) ? (value as TranscriptEvent) : null
}

const MAX_HEADER_CHARACTERS = 200
const MAX_HEADER_MEMBERS = 20

const isHeaderText = (text: unknown): text is string => typeof text === 'string' && text.length <= MAX_HEADER_CHARACTERS

const textsIn = (value: unknown): Record<string, string> =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter((member): member is [string, string] => isHeaderText(member[0]) && isHeaderText(member[1]))
          .slice(0, MAX_HEADER_MEMBERS),
      )
    : {}

/** What the first line of a transcript says; null if it is not the head of one. */
export const readHeader = (line: string): TranscriptHeader | null => {
  const value = parse(line)
  if (!isObject(value) || typeof value['transcript'] !== 'number') return null
  return { source: textsIn(value['source']), agent: isObject(value['agent']) ? textsIn(value['agent']) : null }
}

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null

const INSTANT = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d/

const instantOf = (value: unknown): number | null => {
  const ms = typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

const MAX_NAME_CHARACTERS = 80
const nameOf = (value: unknown): string | null => (typeof value === 'string' ? cut(value, MAX_NAME_CHARACTERS) : null)

/** Characters of the text of an event that its outline has. */
const LABEL_CHARACTERS = 80
const startOf = (text: string): string =>
  cut(
    text
      .slice(0, 4 * LABEL_CHARACTERS)
      .replace(/\s+/g, ' ')
      .trim(),
    LABEL_CHARACTERS,
  )

const itemText = (item: unknown): string => {
  if (!isObject(item)) return ''
  const text = item['text'] ?? item['reasoning']
  if (typeof text === 'string') return text
  return typeof item['name'] === 'string' ? item['name'] : ''
}

/** The first text of a content: a text, or items of which some have one. */
const firstText = (content: unknown): string => {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  for (const item of content) {
    const text = itemText(item)
    if (text !== '') return text
  }
  return ''
}

const MEDIA: ReadonlySet<unknown> = new Set(['image', 'audio', 'video', 'file'])
const hasMedia = (content: unknown): boolean =>
  Array.isArray(content) && content.some((item) => isObject(item) && MEDIA.has(item['type']))

const callsOf = (event: TranscriptEvent): Json[] => {
  const calls = event['tool_calls']
  return Array.isArray(calls) ? (calls as Json[]) : []
}

const argumentsText = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (!isObject(value)) return value === undefined || value === null ? '' : JSON.stringify(value)
  const values = Object.values(value)
  const [only] = values
  return values.length === 1 && typeof only === 'string' ? only : JSON.stringify(value)
}

const errorText = (error: unknown): string => {
  if (typeof error === 'string') return error
  return isObject(error) && typeof error['message'] === 'string' ? error['message'] : ''
}

const textOf = (event: TranscriptEvent): string => {
  const { content, output, result, arguments: given, error, reason, value, limit } = event as Record<string, unknown>
  if (event.type === 'tool') return argumentsText(given) || firstText(result) || errorText(error)
  const text = firstText(content) || firstText(output) || errorText(error)
  if (text !== '') return text
  const calls = callsOf(event)
  if (calls.length > 0) return calls.map((call) => (isObject(call) ? argumentsText(call['name']) : '')).join(', ')
  if (event.type === 'score')
    return [value === undefined ? '' : argumentsText(value), typeof reason === 'string' ? reason : ''].join(' ')
  if (isObject(limit)) return `${argumentsText(limit['type'])} ${argumentsText(limit['value'])}`
  return ''
}

/** What two events have in common that do the same: their type, their name and their arguments, without their times, texts and results. */
const signatureOf = (event: TranscriptEvent, line: string): string => {
  const { type, role, kind, name, arguments: given } = event as Record<string, Json | undefined>
  const calls = callsOf(event).map((call) =>
    isObject(call) ? [call['name'] ?? null, call['arguments'] ?? null] : call,
  )
  let text = line
  try {
    text = canonicalJson([type, role ?? kind ?? null, name ?? null, given ?? null, calls])
  } catch (error) {
    // Too deep for the stack: then only the same line is the same.
    if (!(error instanceof RangeError)) throw error
  }
  return hash('sha256', text, 'base64url').slice(0, SIGNATURE_CHARACTERS)
}
const SIGNATURE_CHARACTERS = 11

/** The tokens and the cost of an event; null where they are unknown. */
export type EventUsage = {
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly cost_usd: number | null
}

const INPUT_TOKENS = ['input_tokens', 'cache_read_tokens', 'cache_write_tokens']

const usageOf = (event: TranscriptEvent): EventUsage => {
  const { usage } = event
  const inputs = isObject(usage) ? INPUT_TOKENS.flatMap((name) => numberOf(usage[name]) ?? []) : []
  return {
    input_tokens: inputs.length > 0 ? inputs.reduce((sum, tokens) => sum + tokens, 0) : null,
    output_tokens: isObject(usage) ? numberOf(usage['output_tokens']) : null,
    cost_usd: numberOf(event['cost_usd']),
  }
}

/** What an outline says of an event, apart from its place. */
export type EventFacts = EventUsage & {
  readonly at: number | null
  readonly ms: number | null
  readonly name: string | null
  readonly label: string
  readonly isError: boolean
  readonly hasMedia: boolean
  readonly signature: string
}

/** The facts of an event. `line` is its text. */
export const eventFacts = (event: TranscriptEvent, line: string): EventFacts => ({
  ...usageOf(event),
  at: instantOf(event['at']),
  ms: numberOf(event['ms']),
  name: nameOf(event['name'] ?? event['role'] ?? event['model']),
  label: labelOf(event),
  isError: event.type === 'error' || (event['error'] !== undefined && event['error'] !== null),
  hasMedia: hasMedia(event['content']) || hasMedia(event['output']) || hasMedia(event['result']),
  signature: signatureOf(event, line),
})

const labelOf = (event: TranscriptEvent): string => {
  try {
    return startOf(textOf(event))
  } catch (error) {
    if (error instanceof RangeError) return ''
    throw error
  }
}

/** The facts of a line that is no event. */
export const textFacts = (line: string): EventFacts => ({
  input_tokens: null,
  output_tokens: null,
  cost_usd: null,
  at: null,
  ms: null,
  name: null,
  label: startOf(line),
  isError: false,
  hasMedia: false,
  signature: hash('sha256', line, 'base64url').slice(0, SIGNATURE_CHARACTERS),
})
