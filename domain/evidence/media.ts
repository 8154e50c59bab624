import { isObject, type Json } from '../plain/is-object.ts'
import { contentTypeOf, TYPE_BYTES } from './content-type.ts'

// Pictures, sounds and files inside of JSON, in the forms that the APIs of models have: data URLs, and members with base64.

/** Bytes with their media type. */
export type Media = { readonly type: string; readonly bytes: Buffer }

const DATA_URL = /^data:([a-z]{1,30}\/[\w.+-]{1,60});base64,/i

/** Whether a JSON text may hold media: a quick look before its values are walked through. */
export const mayHoldMedia = (json: string): boolean =>
  json.includes(';base64,') || /"(?:data|content|file_data|b64_json|result)":"[\w+/=-]{16}/.test(json)

/** The bytes of a data URL with its type; null for a text that would not be the same again. */
export const dataUrlMedia = (text: string): Media | null => {
  const [start, type] = DATA_URL.exec(text.slice(0, 120)) ?? []
  if (start === undefined || type === undefined) return null
  const bytes = Buffer.from(text.slice(start.length), 'base64')
  return `${start}${bytes.toString('base64')}` === text ? { type, bytes } : null
}

/** The types of sounds that an API names by their format alone. */
const SOUNDS: ReadonlySet<unknown> = new Set(['wav', 'mp3', 'flac', 'opus', 'aac', 'pcm16', 'ogg', 'm4a'])
const UNKNOWN_TYPE = 'application/octet-stream'

const typeIn = (value: Readonly<Record<string, Json>>): string | null => {
  const type = value['media_type'] ?? value['mime_type'] ?? value['mimeType']
  return typeof type === 'string' && /^[a-z]{1,30}\/[\w.+-]{1,60}$/i.test(type) ? type : null
}

/** Types whose content is written as text, unless a member says that it is base64. */
const TEXT_TYPE = /^text\/|[/+]json$/i

/** The type of bytes by how they begin. */
const seenType = (base64: string): string => contentTypeOf(Buffer.from(base64.slice(0, 2 * TYPE_BYTES), 'base64')).type

/** The member of an object that may hold bytes as base64, and their type. */
const memberOf = (value: Readonly<Record<string, Json>>): { readonly key: string; readonly type: string } | null => {
  const type = typeIn(value)
  const { data, format, content, file_data: fileData, b64_json: picture, result } = value as Record<string, unknown>
  // Anthropic has `type: base64`, Google the type alone: a text of such a type is no base64.
  if (typeof data === 'string' && type !== null && (value['type'] === 'base64' || !TEXT_TYPE.test(type)))
    return { key: 'data', type }
  if (typeof data === 'string' && SOUNDS.has(format)) return { key: 'data', type: `audio/${format as string}` }
  // The spoken answer of OpenAI's chat completions, whose request alone says the format.
  if (typeof data === 'string' && typeof value['transcript'] === 'string') return { key: 'data', type: seenType(data) }
  if (value['type'] === 'image_generation_call' && typeof result === 'string')
    return {
      key: 'result',
      type: `image/${typeof value['output_format'] === 'string' ? value['output_format'] : 'png'}`,
    }
  if (value['type'] === 'blob' && typeof content === 'string' && !TEXT_TYPE.test(type ?? ''))
    return { key: 'content', type: type ?? UNKNOWN_TYPE }
  if (typeof fileData === 'string') return { key: 'file_data', type: type ?? UNKNOWN_TYPE }
  return typeof picture === 'string' ? { key: 'b64_json', type: type ?? 'image/png' } : null
}

// Words are valid base64 too: "none", "README12".
const MIN_LENGTH = 64
const MEDIA_TYPE = /^(?:image|audio|video)\//i
const MIN_NAMED_LENGTH = 16

/** The member of an object that holds bytes as base64, with them; null if it has none. */
export const base64In = (
  value: Readonly<Record<string, Json>>,
): { readonly key: string; readonly media: Media } | null => {
  const found = memberOf(value)
  if (found === null) return null
  const text = value[found.key] as string
  const isNamed = value['type'] === 'base64' || MEDIA_TYPE.test(found.type)
  if (text.length < (isNamed ? MIN_NAMED_LENGTH : MIN_LENGTH)) return null
  const bytes = Buffer.from(text, 'base64')
  // Nothing else would be given back as it was, such as the alphabet of URLs.
  return bytes.toString('base64') === text ? { key: found.key, media: { type: found.type, bytes } } : null
}

const TYPE_MEMBERS = ['type', 'media_type', 'mime_type', 'mimeType', 'format', 'modality']
const MAX_DEPTH = 4

/**
 * Takes the media out of a content block of a message: as a data URL, and the block without it. Null if it holds none.
 */
export const takeMedia = (
  block: Json,
  depth = 0,
): { readonly url: string; readonly rest: Readonly<Record<string, Json>> } | null => {
  if (!isObject(block) || depth > MAX_DEPTH) return null
  const found = base64In(block)
  if (found !== null) {
    const { [found.key]: _, ...rest } = block
    // The manifest says the type.
    for (const key of TYPE_MEMBERS) delete rest[key]
    return { url: `data:${found.media.type};base64,${found.media.bytes.toString('base64')}`, rest }
  }
  for (const [key, member] of Object.entries(block)) {
    const inner =
      typeof member === 'string' && dataUrlMedia(member) !== null
        ? { url: member, rest: {} }
        : takeMedia(member, depth + 1)
    if (inner === null) continue
    const { [key]: _, ...rest } = block
    return { url: inner.url, rest: { ...rest, ...(hasMembers(inner.rest) && { [key]: inner.rest }) } }
  }
  return null
}

const hasMembers = (value: object): boolean => Object.keys(value).length > 0
