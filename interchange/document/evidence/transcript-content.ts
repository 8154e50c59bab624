import type { Json } from '../../../domain/run/readers.ts'
import { isObject } from '../../read/row.ts'
import type { MoveToParts } from '../../../domain/evidence/move-to-parts.ts'

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
 * Content of a message as a transcript has it. `content` was moved to parts before by `move`: what became one is named by its
 * digest, and what has no form of its own is data.
 */
export const transcriptContent = (content: Json | undefined, { isPart }: MoveToParts): Json | undefined => {
  if (content === undefined || content === null) return undefined
  if (typeof content === 'string') return partItem(content, isPart) ?? content
  if (!Array.isArray(content)) return [itemOf(content, isPart)]
  return (content as Json[]).map((item) => itemOf(item, isPart))
}

type IsPart = MoveToParts['isPart']

const itemOf = (item: Json, isPart: IsPart): Json => {
  if (typeof item === 'string') return partItem(item, isPart)?.[0] ?? { type: 'text', text: item }
  if (!isObject(item)) return { type: 'data', data: item }
  const { type } = item
  const [member, kind] = TEXTS.get(type) ?? []
  if (member !== undefined && kind !== undefined && typeof item[member] === 'string') {
    const { type: _, [member]: text, ...rest } = item
    return { type: kind, [kind]: text!, ...rest }
  }
  const found = takePart(item, isPart, 0)
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

/** The digest in the name of a part; null for any other text, also one of the source that looks like a name. */
const partIn = (text: Json, isPart: IsPart): string | null => {
  const digest = typeof text === 'string' ? PART.exec(text)?.[1] : undefined
  return digest !== undefined && isPart(digest) ? digest : null
}

/** A text that is nothing but the name of a part. */
const partItem = (text: string, isPart: IsPart): Json[] | null => {
  const part = partIn(text, isPart)
  return part === null ? null : [{ type: 'file', part }]
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
  isPart: IsPart,
  depth: number,
): { readonly part: string; readonly rest: Readonly<Record<string, Json>> } | null => {
  if (!isObject(value) || depth > MAX_DEPTH) return null
  for (const [key, member] of Object.entries(value)) {
    const part = partIn(member, isPart)
    const inner = part === null ? takePart(member, isPart, depth + 1) : { part, rest: {} }
    if (inner === null) continue
    const { [key]: _, ...rest } = value
    const left = Object.keys(inner.rest).length === 0 ? {} : { [key]: inner.rest }
    return { part: inner.part, rest: { ...rest, ...left } }
  }
  return null
}
