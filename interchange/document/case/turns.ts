import type { Json } from '../../../domain/run/readers.ts'
import { jsonOrText } from '../../read/json/inner-json.ts'
import { isObject } from '../../read/row.ts'
import type { ToolCall, Turn } from './case-draft.ts'
import { takeMedia } from '../../../domain/evidence/media.ts'
import type { Losses } from '../losses.ts'

const ROLES: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool'])
/** Other names of the four roles. A role that is not here becomes `user`, and is recorded. */
const OTHER_ROLES: Readonly<Record<string, Turn['role']>> = { developer: 'system', function: 'tool' }

/** The members of a turn that are read, and whether a value of theirs can be. */
const READ: Readonly<Record<string, (value: Json) => boolean>> = {
  role: () => true,
  content: () => true,
  tool_calls: (value) => Array.isArray(value),
  function_call: isObject,
  tool_call_id: (value) => typeof value === 'string',
}

/**
 * Reads the turns of a conversation, in the shape of the chat APIs. Null if the value is no list of turns: then nothing is
 * recorded. What a turn of a run document has no place for is recorded as left out at `path`.
 */
export const readTurns = (value: unknown, losses: Losses, path: string): Turn[] | null =>
  Array.isArray(value) && value.length > 0 && value.every(isTurn)
    ? value.map((turn) => readTurn(turn, losses, `${path}.*`))
    : null

const isTurn = (value: unknown): value is Record<string, Json> =>
  isObject(value) &&
  typeof value['role'] === 'string' &&
  (typeof value['content'] === 'string' || Array.isArray(value['content']) || isCallOnly(value))

/** A turn that only calls tools has no content. */
const isCallOnly = (turn: Record<string, Json>): boolean =>
  (turn['content'] ?? null) === null && (Array.isArray(turn['tool_calls']) || isObject(turn['function_call']))

const readTurn = (turn: Record<string, Json>, losses: Losses, path: string): Turn => {
  for (const [key, member] of Object.entries(turn))
    if (member !== null && !(Object.hasOwn(READ, key) && READ[key]!(member)))
      losses.add('left_out', `${path}.${key}`, member, 'in a turn')
  const calls = toolCallsOf(turn['tool_calls'] ?? null, losses, `${path}.tool_calls`)
  const single = isObject(turn['function_call']) ? toolCallsOf([turn['function_call']], losses, path) : []
  const id = turn['tool_call_id']
  return {
    role: roleOf(turn['role'] as string, losses, `${path}.role`),
    content: contentOf(turn['content'] ?? null, losses, `${path}.content`),
    ...(calls.length + single.length > 0 && { tool_calls: [...calls, ...single] }),
    ...(typeof id === 'string' && { tool_call_id: id }),
  }
}

const roleOf = (role: string, losses: Losses, path: string): Turn['role'] => {
  if (ROLES.has(role)) return role as Turn['role']
  const known = Object.hasOwn(OTHER_ROLES, role) ? OTHER_ROLES[role]! : 'user'
  losses.add('changed', path, role, `the role is ${known}`)
  return known
}

const contentOf = (content: Json, losses: Losses, path: string): Turn['content'] => {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((block: Json) => blockOf(block, losses, `${path}.*`)) : ''
}

type Block = Exclude<Turn['content'], string>[number]

const blockOf = (block: Json, losses: Losses, path: string): Block => {
  if (typeof block === 'string') return { type: 'text', text: block }
  if (!isObject(block)) return leftOut('block', block, losses, path)
  const media = losses.keepsMedia ? takeMedia(block) : null
  if (media !== null) {
    const { type: _, ...rest } = media.rest
    recordOthers(rest, losses, path)
    // It becomes a part, which is named here.
    return { type: 'text', text: media.url }
  }
  const { type, text, thinking, signature, ...others } = block
  if (typeof thinking === 'string') {
    recordOthers(others, losses, path)
    return { type: 'thinking', thinking, ...(typeof signature === 'string' && { signature }) }
  }
  if (typeof text !== 'string') return leftOut(typeof type === 'string' ? type : 'block', block, losses, path)
  recordOthers(others, losses, path)
  return { type: 'text', text }
}

const recordOthers = (others: Record<string, Json>, losses: Losses, path: string) => {
  for (const [key, member] of Object.entries(others))
    if (member !== null) losses.add('left_out', `${path}.${key}`, member, 'in a block of a turn')
}

/** An image, a sound or a file: its place stays visible. */
const leftOut = (type: string, block: Json, losses: Losses, path: string): Block => {
  const kind = /image/.test(type)
    ? 'image'
    : /audio/.test(type)
      ? 'audio'
      : /file|document/.test(type)
        ? 'file'
        : 'block'
  losses.add('left_out', path, block, `${kind} in a turn`)
  return { type: 'text', text: `[${kind} left out]` }
}

/** The calls of tools in the shape of the chat APIs; other elements are recorded as left out. */
export const toolCallsOf = (value: Json, losses: Losses, path: string): ToolCall[] => {
  if (!Array.isArray(value)) return []
  return value.flatMap((call: Json) => {
    const found = isObject(call) ? toolCallOf(call, losses, `${path}.*`) : null
    if (found === null) losses.add('left_out', `${path}.*`, call, 'no call of a tool')
    return found === null ? [] : [found]
  })
}

const CALL_MEMBERS: ReadonlySet<string> = new Set(['id', 'call_id', 'type', 'function', 'name', 'arguments', 'input'])
const FUNCTION_MEMBERS: ReadonlySet<string> = new Set(['name', 'arguments', 'input'])

const toolCallOf = (call: Record<string, Json>, losses: Losses, path: string): ToolCall | null => {
  const called = isObject(call['function']) ? call['function'] : call
  const { name } = called
  if (typeof name !== 'string') return null
  const written = call['id'] ?? call['call_id'] ?? null
  const id = typeof written === 'number' ? String(written) : written
  const record = (members: Record<string, Json>, known: ReadonlySet<string>, at: string) => {
    for (const [key, member] of Object.entries(members))
      if (!known.has(key) && member !== null) losses.add('left_out', `${at}.${key}`, member, 'in a call of a tool')
  }
  record(call, CALL_MEMBERS, path)
  if (called !== call) record(called, FUNCTION_MEMBERS, `${path}.function`)
  const args = called['arguments'] ?? called['input'] ?? null
  // Arguments are JSON in a text in most APIs. A model may have written something that is not JSON.
  const parsed = typeof args === 'string' ? jsonOrText(args) : args
  return { ...(typeof id === 'string' && { id }), name, arguments: parsed }
}
