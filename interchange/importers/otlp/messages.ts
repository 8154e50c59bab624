import type { Json } from '../../../domain/run/readers.ts'
import { innerJson } from '../../read/json/inner-json.ts'
import { textAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'
import type { Moment, Span } from './records.ts'

/** A message of a conversation, whichever convention it was written in. */
export type Message = {
  readonly role: string
  /** A text, or blocks: `{type: 'text', text}`, `{type: 'thinking', thinking}`, or what the source has. */
  readonly content: Json
  readonly calls: ReadonlyArray<{ readonly id?: Json; readonly name: Json; readonly arguments: Json }>
  /** The call that it answers. */
  readonly call: string | null
  readonly rest: JsonObject
}

/** What a call of a model was asked and what it answered. */
export type Exchange = {
  readonly input: readonly Message[]
  readonly output: readonly Message[]
  /** The attributes that were read. */
  readonly read: ReadonlySet<string>
}

const SYSTEM = 'gen_ai.system_instructions'
const INPUT = 'gen_ai.input.messages'
const OUTPUT = 'gen_ai.output.messages'
const DETAILS = 'gen_ai.client.inference.operation.details'

/** Whether a moment has messages of the call of a model. */
export const isMessage = ({ name }: Moment): boolean => name === DETAILS || ROLE_EVENTS.has(name) || name === CHOICE

const CHOICE = 'gen_ai.choice'
const ROLE_EVENTS: ReadonlyMap<string, string> = new Map(
  ['system', 'user', 'assistant', 'tool'].map((role) => [`gen_ai.${role}.message`, role]),
)

/** The messages of a span: in its attributes, in its event with the details, or in the older events, one a message. */
export const exchangeOf = ({ attributes, moments }: Pick<Span, 'attributes' | 'moments'>): Exchange => {
  const own = inAttributes(attributes)
  const details = moments.filter(({ name }) => name === DETAILS).map((moment) => inAttributes(moment.attributes))
  const events = moments.filter(({ name }) => ROLE_EVENTS.has(name)).map(eventMessage)
  const choices = moments.filter(({ name }) => name === CHOICE).map(eventMessage)
  return {
    // An instrumentation may write them twice: then the attributes count.
    input: firstOf([own.input, ...details.map(({ input }) => input), events]),
    output: firstOf([own.output, ...details.map(({ output }) => output), choices]),
    read: own.read,
  }
}

const firstOf = (lists: ReadonlyArray<readonly Message[]>): readonly Message[] =>
  lists.find(({ length }) => length > 0) ?? []

/** The names of the attributes of a moment that are read as messages. */
export const messageAttributes = (attributes: JsonObject): ReadonlySet<string> => inAttributes(attributes).read

const inAttributes = (attributes: JsonObject): Exchange => {
  const read = new Set<string>()
  const listAt = (key: string): readonly Json[] => {
    const value = attributes[key]
    const list = typeof value === 'string' ? innerJson(value) : value
    if (!Array.isArray(list)) return []
    read.add(key)
    return list as Json[]
  }
  const system = listAt(SYSTEM)
  const input = [
    ...(system.length > 0 ? [partsMessage({ role: 'system', parts: [...system] })] : []),
    ...listAt(INPUT).map(partsMessage),
  ]
  return { input, output: listAt(OUTPUT).map(partsMessage), read }
}

/** A message as its parts. */
const partsMessage = (value: Json): Message => {
  if (!isObject(value)) return { role: 'user', content: value, calls: [], call: null, rest: {} }
  const { role, parts, ...rest } = value
  const found = { role: typeof role === 'string' ? role : 'user', calls: [] as Array<Message['calls'][number]> }
  if (!Array.isArray(parts)) {
    const { content, ...others } = rest
    return {
      ...found,
      content: content ?? null,
      call: null,
      rest: { ...others, ...(parts !== undefined && { parts }) },
    }
  }
  const blocks: Json[] = []
  const answered: JsonObject[] = []
  for (const part of parts as Json[]) {
    if (!isObject(part)) blocks.push(part)
    else if (part['type'] === 'tool_call') {
      const { type: _, id, name, arguments: given, ...others } = part
      found.calls.push({ ...(id !== undefined && { id }), name: name ?? null, arguments: inner(given), ...others })
    } else if (part['type'] === 'tool_call_response') answered.push(part)
    else blocks.push(blockOf(part))
  }
  const [only] = answered
  if (only !== undefined && answered.length === 1 && blocks.length === 0) {
    const { type: _, id, response, result, ...others } = only
    const call = typeof id === 'string' ? id : null
    const content = inner(response ?? result)
    return { ...found, content, call, rest: { ...rest, ...others, ...(call === null && id !== undefined && { id }) } }
  }
  const text = answered.length === 0 ? onlyText(blocks) : null
  const content = blocks.length + answered.length === 0 ? null : [...blocks, ...answered]
  return { ...found, content: text ?? content, call: null, rest }
}

/** The text of content that is nothing else. */
const onlyText = ([block, ...others]: readonly Json[]): string | null =>
  others.length === 0 && isObject(block) && block['type'] === 'text' && Object.keys(block).length === 2
    ? textAt(block, 'text')
    : null

const blockOf = (part: JsonObject): Json => {
  const { type, content, ...others } = part
  if (type === 'text' && typeof content === 'string') return { type: 'text', text: content, ...others }
  if (type === 'reasoning' && typeof content === 'string') return { type: 'thinking', thinking: content, ...others }
  return { ...part }
}

/** A message of the older events: in attributes, or in the body of a record. */
const eventMessage = ({ name, attributes, body }: Moment): Message => {
  const members: JsonObject = { ...attributes, ...(isObject(body) ? body : {}) }
  const said = inner(members['message'])
  const { message: _, ...around } = members
  const { role, content, tool_calls: calls, id, ...rest } = isObject(said) ? { ...around, ...said } : members
  const list = inner(calls)
  return {
    role: typeof role === 'string' ? role : (ROLE_EVENTS.get(name) ?? 'assistant'),
    content: inner(content),
    calls: (Array.isArray(list) ? (list as Json[]) : []).filter(isObject).map((call) => {
      const { function: called, id: own, type, ...others } = call
      const { name: to, arguments: given, ...more } = isObject(called) ? { ...others, ...called } : others
      return {
        ...(own !== undefined && { id: own }),
        name: to ?? null,
        arguments: inner(given),
        ...(type !== undefined && type !== 'function' && { type }),
        ...more,
      }
    }),
    call: typeof id === 'string' ? id : null,
    rest,
  }
}

/** A value, or what it is as JSON in a text. */
const inner = (value: Json | undefined): Json => {
  if (typeof value !== 'string') return value ?? null
  return /^\s*[[{]/.test(value) ? (innerJson(value) ?? value) : value
}

/** The text of a message, without thoughts. */
export const messageText = ({ content }: Message): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? (content as Json[])
          .flatMap((block) => (isObject(block) && block['type'] === 'text' ? [textAt(block, 'text') ?? ''] : []))
          .join('\n')
      : ''
