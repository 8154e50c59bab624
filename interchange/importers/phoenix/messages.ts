import type { Members } from '../../document/evidence/transcript-members.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { isObject, type JsonObject } from '../../read/row.ts'

/** Steps of a path below the prefix. Messages have fewer, and a walk over a value takes room on the stack for each. */
const MAX_STEPS = 32

/**
 * Takes the messages of a call of a model in the shape of the chat APIs. In OpenInference each leaf of them is an attribute, such as
 * `llm.input_messages.0.message.content`. What is in another form stays.
 */
export const takeMessages = (attributes: Members, prefix: string): readonly Json[] => {
  const keys = Object.keys(attributes).filter((key) => key.startsWith(prefix))
  const leaves = keys.map((key): Leaf => [key.slice(prefix.length).split('.'), attributes[key]!])
  const list = leaves.some(([path]) => path.length > MAX_STEPS) ? undefined : nested(leaves)
  if (!Array.isArray(list) || !(list as Json[]).every(isMessage)) return []
  for (const key of keys) delete attributes[key]
  return (list as JsonObject[]).map(({ message, ...others }) => chatMessage({ ...others, ...(message as JsonObject) }))
}

/** Whether an object has a message, and no member of it next to it too. */
const isMessage = (item: Json): boolean =>
  isObject(item) &&
  isObject(item['message']) &&
  Object.keys(item['message']).every((key) => key === 'message' || !Object.hasOwn(item, key))

type Leaf = readonly [path: readonly string[], value: Json]

/** The value whose leaves have these paths. Numbers are places in a list. Undefined if a leaf has others below it. */
const nested = (leaves: readonly Leaf[]): Json | undefined => {
  const [first] = leaves
  if (leaves.length === 1 && first?.[0].length === 0) return first[1]
  const members = new Map<string, Leaf[]>()
  for (const [[key, ...path], value] of leaves) {
    if (key === undefined) return undefined
    const known = members.get(key)
    if (known === undefined) members.set(key, [[path, value]])
    else known.push([path, value])
  }
  const found: Array<readonly [string, Json]> = []
  for (const [key, below] of members) {
    const value = nested(below)
    if (value === undefined) return undefined
    found.push([key, value])
  }
  return found.length > 0 && found.every(([key]) => /^\d{1,9}$/.test(key))
    ? found.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value)
    : Object.fromEntries(found)
}

const chatMessage = ({ content, contents, tool_calls: calls, ...rest }: JsonObject): Json => {
  const blocks = unwrapped(contents, 'message_content')
  const said =
    content === undefined || blocks === null ? (blocks ?? content) : [{ type: 'text', text: content }, ...blocks]
  const called = unwrapped(calls, 'tool_call')
  return {
    ...rest,
    ...(blocks === null && contents !== undefined && { contents }),
    ...(said !== undefined && { content: said }),
    ...(calls !== undefined && { tool_calls: called ?? calls }),
  }
}

/** The objects of a list in which each is alone below a key; null for anything else. */
const unwrapped = (list: Json | undefined, key: string): JsonObject[] | null => {
  if (!Array.isArray(list)) return null
  const found = (list as Json[]).map((item) => (isObject(item) && Object.keys(item).length === 1 ? item[key] : null))
  return found.every((item): item is JsonObject => isObject(item)) ? found : null
}
