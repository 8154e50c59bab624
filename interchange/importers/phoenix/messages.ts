import type { Members } from '../../document/evidence/transcript-members.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { isObject, type JsonObject } from '../../read/row.ts'

/**
 * Takes the messages of a call of a model in the shape of the chat APIs. In OpenInference each leaf of them is an attribute, such as
 * `llm.input_messages.0.message.content`. What is in another form stays.
 */
export const takeMessages = (attributes: Members, prefix: string): readonly Json[] => {
  const keys = Object.keys(attributes).filter((key) => key.startsWith(prefix))
  const list = nested(keys.map((key) => [key.slice(prefix.length).split('.'), attributes[key]!]))
  if (!Array.isArray(list) || !(list as Json[]).every((item) => isObject(item) && isObject(item['message']))) return []
  for (const key of keys) delete attributes[key]
  return (list as JsonObject[]).map(({ message, ...others }) => chatMessage({ ...others, ...(message as JsonObject) }))
}

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
