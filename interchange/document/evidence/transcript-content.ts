import type { Json } from '../../../domain/run/readers.ts'
import { isObject } from '../../read/row.ts'

/** Content blocks of the APIs of models that are a text, by their type, with the member that has it. */
const TEXTS: ReadonlyMap<unknown, readonly [string, 'text' | 'reasoning']> = new Map([
  ['text', ['text', 'text']],
  ['input_text', ['text', 'text']],
  ['output_text', ['text', 'text']],
  ['thinking', ['thinking', 'reasoning']],
])

const PART = /^part:([0-9a-f]{64})$/
const KINDS = ['image', 'audio', 'video'] as const

/**
 * Content of a message as a transcript has it. `content` was moved to parts before: what became one is named by its digest, and
 * what has no form of its own is data.
 */
export const transcriptContent = (content: Json | undefined): Json | undefined => {
  if (content === undefined || content === null) return undefined
  if (typeof content === 'string') return partItem(content) ?? content
  if (!Array.isArray(content)) return [itemOf(content)]
  return (content as Json[]).map(itemOf)
}

const itemOf = (item: Json): Json => {
  if (typeof item === 'string') return partItem(item)?.[0] ?? { type: 'text', text: item }
  if (!isObject(item)) return { type: 'data', data: item }
  const { type } = item
  const [member, kind] = TEXTS.get(type) ?? []
  if (member !== undefined && kind !== undefined && typeof item[member] === 'string') {
    const { type: _, [member]: text, ...rest } = item
    return { type: kind, [kind]: text!, ...rest }
  }
  const found = takePart(item, 0)
  if (found === null) return { type: 'data', data: item }
  const { type: named, ...rest } = found.rest
  return {
    ...rest,
    // The API's own name of the form, where it is another one.
    ...(typeof named === 'string' && named !== kindOf(item) && { form: named }),
    type: kindOf(item),
    part: found.part,
  }
}

/** A text that is nothing but the name of a part. */
const partItem = (text: string): Json[] | null => {
  const part = PART.exec(text)?.[1]
  return part === undefined ? null : [{ type: 'file', part }]
}

/** What an item shows: by the media type in it, else by its own type. */
const kindOf = (item: Json): string => {
  const text = JSON.stringify(item)
  const type = /"(?:media_type|mime_type|mimeType|modality|type)":"(image|audio|video)\b/.exec(text)?.[1]
  if (type !== undefined) return type
  const named = isObject(item) && typeof item['type'] === 'string' ? item['type'] : text
  return KINDS.find((kind) => named.includes(kind)) ?? 'file'
}

const MAX_DEPTH = 4

const takePart = (
  value: Json,
  depth: number,
): { readonly part: string; readonly rest: Readonly<Record<string, Json>> } | null => {
  if (!isObject(value) || depth > MAX_DEPTH) return null
  for (const [key, member] of Object.entries(value)) {
    const { [key]: _, ...rest } = value
    const part = typeof member === 'string' ? PART.exec(member)?.[1] : undefined
    if (part !== undefined) return { part, rest }
    const inner = takePart(member, depth + 1)
    if (inner === null) continue
    const left = Object.keys(inner.rest).length === 0 ? {} : { [key]: inner.rest }
    return { part: inner.part, rest: { ...rest, ...left } }
  }
  return null
}
