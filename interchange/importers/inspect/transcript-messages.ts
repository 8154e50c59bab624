import { hash } from 'node:crypto'
import type { MoveToParts } from '../../../domain/evidence/move-to-parts.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { isObject, type JsonObject } from '../../read/row.ts'
import { resolverOf, type Attachments } from './attachments.ts'
import type { Pool } from './log.ts'
import { membersOf, take, takeText, withoutNulls, type Members } from '../../document/evidence/transcript-members.ts'

type Role = Parameters<MoveToParts>[1]
const ROLES: ReadonlyMap<unknown, Role> = new Map([
  ['system', 'input'],
  ['user', 'input'],
  ['assistant', 'output'],
  ['tool', 'output'],
])

/** Ranges of the numbers of messages, both ends included, and the lines of the messages that are new. */
export type Messages = { readonly ranges: Array<[number, number]>; readonly lines: readonly Members[] }

/** The messages that one event refers to. More are not followed: a small log could name them millions of times. */
const MAX_REFERENCES = 1_000_000

/** Numbers the messages of a transcript: each is a line once, and later events name it by its number. */
export const numberMessages = (pool: Pool, move: MoveToParts, newId: (name: string) => string) => {
  /** The numbers of the messages so far, by their content and by their number in the pool. */
  const numbers = new Map<string, number>()
  const ofPool = new Map<number, number>()

  const collect = (parent: string | undefined) => {
    const found: { ranges: Array<[number, number]>; lines: Members[] } = { ranges: [], lines: [] }
    const addNumber = (number: number): void => {
      const last = found.ranges.at(-1)
      if (last !== undefined && last[1] === number - 1) last[1] = number
      else found.ranges.push([number, number])
    }
    const add = (message: Json, texts: Attachments): number => {
      const key = hash('sha256', JSON.stringify(message), 'base64')
      let number = numbers.get(key)
      if (number === undefined) {
        number = numbers.size
        numbers.set(key, number)
        found.lines.push(
          messageLine(message, { id: newId('message'), parent }, (value, role) => move(value, role, resolverOf(texts))),
        )
      }
      addNumber(number)
      return number
    }
    return { found, add, addNumber }
  }

  return {
    count: (): number => numbers.size,
    /** Messages that an event has itself. */
    given: (messages: readonly Json[], texts: Attachments, parent: string | undefined): Messages => {
      const { found, add } = collect(parent)
      for (const message of messages) add(message, texts)
      return found
    },
    /** Messages of the pool, in half-open ranges. Null if one is missing, or if there are too many. */
    ofPool: (refs: ReadonlyArray<readonly [number, number]>, parent: string | undefined): Messages | null => {
      const count = refs.reduce((sum, [from, to]) => sum + Math.max(0, to - from), 0)
      if (count > MAX_REFERENCES) return null
      for (const [from, to] of refs) for (let n = from; n < to; n++) if (!pool.items.has(n)) return null
      const { found, add, addNumber } = collect(parent)
      for (const [from, to] of refs)
        for (let n = from; n < to; n++) {
          const known = ofPool.get(n)
          if (known === undefined) ofPool.set(n, add(pool.items.get(n)!, pool.texts))
          else addNumber(known)
        }
      return found
    },
  }
}

/** A message as a line. What has no place in it is in `source`. */
const messageLine = (message: Json, place: Members, move: (value: Json, role: Role) => Json): Members => {
  if (!isObject(message)) return { type: 'message', ...place, source: move(message, 'other') }
  const rest = membersOf(move(message, ROLES.get(message['role']) ?? 'other') as JsonObject)
  const role = takeText(rest, 'role')
  const content = take(rest, 'content')
  const line: Members = { type: 'message', ...place, role, content: contentOf(content ?? null) }
  const call = takeText(rest, 'tool_call_id')
  if (call !== undefined) line['call'] = call
  const calls = rest['tool_calls']
  if (Array.isArray(calls)) {
    line['tool_calls'] = (calls as Json[]).map(callOf)
    delete rest['tool_calls']
  }
  const source = withoutNulls(rest)
  return { ...line, ...(source !== null && { source }) }
}

/** A call of a tool in a message: `function` is its name. */
const callOf = (call: Json): Json => {
  if (!isObject(call) || typeof call['function'] !== 'string') return call
  const { function: name, ...members } = call as JsonObject
  return { name, ...members }
}

const MEDIA: ReadonlySet<unknown> = new Set(['image', 'audio', 'video', 'document'])

/** Content in the form of a transcript. Bytes that became parts are named by their digests. */
export const contentOf = (content: Json): Json | undefined => {
  if (content === null || typeof content === 'string') return content ?? undefined
  if (!Array.isArray(content)) return [{ type: 'data', data: content }]
  return (content as Json[]).map((item) => {
    if (!isObject(item)) return { type: 'data', data: item }
    const { type } = item
    if (type === 'reasoning' || (type === 'text' && typeof item['text'] === 'string')) return item
    if (typeof type !== 'string' || !MEDIA.has(type)) return { type: 'data', data: item }
    const { [type]: value, ...members } = item as JsonObject
    const part = typeof value === 'string' ? /^part:([0-9a-f]{64})$/.exec(value)?.[1] : undefined
    if (part === undefined) return { type: 'data', data: item }
    return { ...members, type: type === 'document' ? 'file' : type, part }
  })
}

/** The text of a message, as Inspect joins it. */
export const messageText = (message: Json): string | null => {
  if (!isObject(message)) return null
  const { content } = message
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return null
  return (content as Json[])
    .flatMap((item) => (isObject(item) && typeof item['text'] === 'string' ? [item['text']] : []))
    .join('\n')
}
