import { isObject } from '../../../domain/plain/is-object.ts'
import { jsonText } from '../../text/json-text.ts'
import type { ListedEvent } from './use-transcript.ts'

// What an event says, in parts with a name each. Every member may have any value.

/** A text of an event: prose, code, or the part that it names. */
export type EventText = {
  readonly name: string
  readonly text: string
  readonly isProse: boolean
  readonly part?: { readonly sha256: string; readonly type: string; readonly name: string }
}

const word = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback)

const DIGEST = /^(?:part:)?([0-9a-f]{64})$/

const textsOfContent = (name: string, content: unknown, isProse: boolean): EventText[] => {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ name, text: content, isProse }]
  if (!Array.isArray(content)) return [{ name, text: jsonText(content, true), isProse: false }]
  return content.flatMap((item: unknown): EventText[] => {
    if (!isObject(item)) return [{ name, text: typeof item === 'string' ? item : jsonText(item, true), isProse: false }]
    const { type, text, reasoning, part } = item
    if (typeof text === 'string') return [{ name, text, isProse }]
    if (typeof reasoning === 'string') return [{ name: 'Reasoning', text: reasoning, isProse: true }]
    const digest = typeof part === 'string' ? DIGEST.exec(part)?.[1] : undefined
    if (digest !== undefined) {
      const label = word(item['name'], word(type, 'file'))
      return [{ name, text: label, isProse: false, part: { sha256: digest, type: word(type, 'file'), name: label } }]
    }
    return [{ name, text: jsonText(item['data'] ?? item, true), isProse: false }]
  })
}

const jsonPart = (name: string, value: unknown): EventText[] =>
  value === undefined || value === null
    ? []
    : [{ name, text: typeof value === 'string' ? value : jsonText(value, true), isProse: false }]

const SHOWN = new Set([
  'type',
  'id',
  'parent',
  'at',
  'ms',
  'name',
  'kind',
  'role',
  'content',
  'tool_calls',
  'call',
  'arguments',
  'result',
  'model',
  'input',
  'output',
  'stop_reason',
  'request',
  'usage',
  'cost_usd',
  'value',
  'passed',
  'reason',
  'limit',
  'error',
  'source',
])

const isRanges = (value: unknown): value is ReadonlyArray<readonly [number, number]> =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((range) => Array.isArray(range) && range.length === 2 && range.every((n) => typeof n === 'number'))

/** The ranges of messages that a member of a model call names; none if it is written out. */
export const rangesOf = (value: unknown): ReadonlyArray<readonly [number, number]> => (isRanges(value) ? value : [])

/** The event as an object; null for a line that is none. */
export const eventOf = ({ event }: ListedEvent): Readonly<Record<string, unknown>> | null =>
  isObject(event) ? event : null

/** What an event says. */
export const textsOf = (listed: ListedEvent): EventText[] => {
  const event = eventOf(listed)
  if (!event) return [{ name: 'Line', text: listed.text ?? '', isProse: false }]
  const { content, tool_calls, output, result, error, reason, value, limit, request, source, input } = event
  const calls = Array.isArray(tool_calls) ? (tool_calls as unknown[]) : []
  const rest = Object.fromEntries(Object.entries(event).filter(([name]) => !SHOWN.has(name)))
  return [
    ...textsOfContent('Text', content, true),
    ...calls.flatMap((call) =>
      isObject(call)
        ? jsonPart(`Calls ${word(call['name'], 'a tool')}`, call['arguments'] ?? {})
        : jsonPart('Calls', call),
    ),
    ...jsonPart('Arguments', event['arguments']),
    ...(isRanges(input) ? [] : textsOfContent('Input', input, true)),
    ...(isRanges(output) ? [] : textsOfContent('Output', output, true)),
    ...textsOfContent('Result', result, false),
    ...(isObject(error) && typeof error['message'] === 'string'
      ? [
          {
            name: 'Error',
            text: [error['message'], error['trace']].filter((part) => typeof part === 'string').join('\n\n'),
            isProse: false,
          },
        ]
      : jsonPart('Error', error)),
    ...jsonPart('Value', value),
    ...textsOfContent('Reason', reason, true),
    ...jsonPart('Limit', limit),
    ...jsonPart('Request', request),
    ...jsonPart('Source', source),
    ...(Object.keys(rest).length > 0 ? jsonPart('More', rest) : []),
  ]
}

/** How many messages a call of a model was given, if it names them. */
export const givenTo = (listed: ListedEvent): string => {
  const ranges = rangesOf(eventOf(listed)?.['input'])
  const count = ranges.reduce((sum, [first, last]) => sum + Math.max(0, last - first + 1), 0)
  return count > 0 ? `${count} ${count === 1 ? 'message' : 'messages'} in` : ''
}
