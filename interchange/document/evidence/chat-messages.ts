import { hash } from 'node:crypto'
import type { Json } from '../../../domain/run/readers.ts'
import { isObject } from '../../read/row.ts'
import type { MoveToParts } from '../../../domain/evidence/move-to-parts.ts'
import type { TranscriptLine } from './case-evidence.ts'
import { transcriptContent } from './transcript-content.ts'
import { membersOf, take, takeText, withoutNulls } from './transcript-members.ts'

/** The lines of the messages that are new, and ranges of the numbers of all, both ends included. */
type Numbered = { readonly lines: readonly TranscriptLine[]; readonly ranges: ReadonlyArray<readonly [number, number]> }

/**
 * Numbers the messages of a transcript in the shape of the chat APIs: each is a line once, and later events name it by its
 * number. `id` is that of the event to which they belong.
 */
export const chatMessages = (move: MoveToParts): ((messages: readonly Json[], id: string) => Numbered) => {
  const numbers = new Map<string, number>()
  return (messages, id) => {
    const lines: TranscriptLine[] = []
    const ranges: Array<[number, number]> = []
    for (const message of messages) {
      const key = hash('sha256', JSON.stringify(message), 'base64')
      const number = numbers.get(key) ?? numbers.size
      if (number === numbers.size) {
        numbers.set(key, number)
        lines.push(messageLine(message, `${id}.message-${number}`, move))
      }
      const last = ranges.at(-1)
      if (last?.[1] === number - 1) last[1] = number
      else ranges.push([number, number])
    }
    return { lines, ranges }
  }
}

const messageLine = (message: Json, id: string, move: MoveToParts): TranscriptLine => {
  if (!isObject(message)) return { type: 'message', id, content: transcriptContent(move(message, 'output'), move) }
  const rest = membersOf(message)
  const role = takeText(rest, 'role')
  const of = role === 'assistant' || role === 'tool' ? 'output' : 'input'
  const content = take(rest, 'content')
  const call = takeText(rest, 'tool_call_id')
  const { tool_calls: calls } = rest
  if (Array.isArray(calls)) delete rest['tool_calls']
  const source = withoutNulls(rest)
  return {
    type: 'message',
    id,
    role,
    content: content === undefined ? undefined : transcriptContent(move(content, of), move),
    ...(call !== undefined && { call }),
    ...(Array.isArray(calls) && { tool_calls: move((calls as Json[]).map(callOf), of) }),
    ...(source !== null && { source: move(source, of) }),
  }
}

/** A call with its name and arguments, which the chat APIs have in its `function`. One with a member in both stays as it is. */
const callOf = (call: Json): Json => {
  if (!isObject(call) || !isObject(call['function'])) return call
  const { function: called, ...members } = call
  if (Object.keys(called).some((key) => Object.hasOwn(members, key))) return call
  return { ...members, ...(called as object) }
}
