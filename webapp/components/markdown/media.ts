import { partDigest } from '../../evidence/case-parts.ts'

/** Pictures and sounds of a stored text up to this size are shown, in characters of their address. */
const MAX_LENGTH = 5 * 1024 * 1024

const DATA =
  /^data:(?<type>(?<kind>image|audio)\/(?:png|jpeg|gif|webp|wav|x-wav|mpeg|mp3|ogg|webm|mp4|flac|aac));base64,(?<data>[A-Za-z0-9+/=\s]+)$/

/** What an address holds: a picture or a sound, its media type and its size in bytes. */
export type Media = { readonly kind: 'image' | 'audio'; readonly type: string; readonly bytes: number }

/**
 * The picture (PNG, JPEG, GIF or WebP) or sound in a `data:` address. Null for anything else: SVG, which is a document, what
 * is larger than 5 MB, and each address that would have to be requested.
 */
export const mediaOf = (address: string): Media | null => {
  if (address.length > MAX_LENGTH) return null
  const { type = '', kind, data = '' } = DATA.exec(address)?.groups ?? {}
  if (kind !== 'image' && kind !== 'audio') return null
  if (kind === 'image' && !/^image\/(?:png|jpeg|gif|webp)$/.test(type)) return null
  return { kind, type, bytes: Math.floor((data.replace(/[\s=]+/g, '').length * 3) / 4) }
}

/** Pictures and sounds that are looked for in a value, and values and characters that are read for them. */
const [MAX_FOUND, MAX_VALUES, MAX_READ] = [100, 100_000, 40 * 1024 * 1024]
const IN_TEXT =
  /data:(?:image|audio)\/[\w.+-]+;base64,[A-Za-z0-9+/=]+|^part:[\da-f]{64}$|(?<=\]\()part:[\da-f]{64}(?=\))/gm
/** The names that the chat APIs give to the media type of base64 data. */
const TYPE_FIELDS = ['media_type', 'mediaType', 'mime_type', 'mimeType']
/** The formats of `input_audio` (https://platform.openai.com/docs/guides/audio), and others that players know. */
const FORMATS: ReadonlyMap<unknown, string> = new Map([
  ['wav', 'audio/wav'],
  ['mp3', 'audio/mpeg'],
  ['ogg', 'audio/ogg'],
  ['opus', 'audio/ogg'],
  ['flac', 'audio/flac'],
  ['aac', 'audio/aac'],
])

/** The address of a part that has base64 data next to its type, or next to the format of a sound. */
const partAddress = (part: Readonly<Record<string, unknown>>): string | null => {
  const data = part['data']
  if (typeof data !== 'string' || data.length > MAX_LENGTH) return null
  const named = TYPE_FIELDS.map((field) => part[field]).find((each) => typeof each === 'string')
  const type = named ?? FORMATS.get(part['format'])
  return type === undefined ? null : `data:${type};base64,${data}`
}

/** The value of a text that is a JSON object or array; undefined for any other text. */
const parsed = (text: string): unknown => {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * The `data:` addresses of the pictures and sounds in a JSON value, each once, in their order: those that a text contains,
 * and parts of messages as the chat APIs write them: `image_url` and `input_audio` of OpenAI, `source` of Anthropic,
 * `inlineData` of Gemini. So are the names of parts that are a whole text, a line of one, or the address of a picture in
 * Markdown. A text that is JSON is read as such. At most 100.
 */
export const mediaIn = (value: unknown): string[] => {
  const found = new Set<string>()
  const add = (address: string): void => {
    if (found.size < MAX_FOUND && (mediaOf(address) ?? partDigest(address)) !== null) found.add(address)
  }
  const waiting: unknown[] = [value]
  let [values, read] = [0, 0]
  while (waiting.length > 0 && found.size < MAX_FOUND && values++ < MAX_VALUES && read < MAX_READ) {
    const next = waiting.pop()
    if (typeof next === 'string') {
      read += next.length
      const json = parsed(next)
      if (json === undefined) for (const [address] of next.slice(0, MAX_READ).matchAll(IN_TEXT)) add(address)
      else waiting.push(json)
    } else if (typeof next === 'object' && next !== null) {
      const address = partAddress(next as Readonly<Record<string, unknown>>)
      if (address !== null) add(address)
      const inside: unknown[] = Object.values(next)
      for (let n = Math.min(inside.length, MAX_VALUES) - 1; n >= 0; n--) waiting.push(inside[n])
    }
  }
  return [...found]
}
