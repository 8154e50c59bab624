import { isObject, type Json } from '../plain/is-object.ts'
import { isRawNumber } from '../run/canonical-json.ts'
import type { PartRole } from './manifest.ts'
import { base64In, dataUrlMedia, type Media } from './media.ts'

/** The parts of one case. What is added again is one part. Null, and nothing added, if there is no room for more. */
export type PartsOfCase = {
  readonly name: string
  readonly has: (digest: string) => boolean
  readonly add: (role: PartRole, name: string, mediaType: string, bytes: Uint8Array) => string | null
}

/**
 * Replaces what is large or no text in a value, at any depth: data URLs, base64 members of the APIs of models, and texts over
 * 64 KiB. Their bytes become parts, and `part:` with their digest stands in their place. `resolve` returns the text that a text refers to, if it is such a
 * reference.
 */
export type MoveToParts = {
  (value: Json, role: Exclude<PartRole, 'original'>, resolve?: (text: string) => string | undefined): Json
  /** Whether the case has a part with this digest so far. */
  readonly isPart: (digest: string) => boolean
}

/** A text beyond this is a part of its own. */
const MAX_TEXT_BYTES = 64 * 1024
/** A picture or a link of Markdown to a data URL. */
const MARKDOWN_DATA = /(\]\(\s*<?)(data:[a-z]{1,30}\/[\w.+-]{1,60};base64,[\w+/=]{16,})(>?[\s)])/gi
/** Texts that one line has in the place of references to them; further ones are parts. */
const MAX_RESOLVED_BYTES = 4 * 1024 * 1024

/** `withFiles` adds the files that a text names to the parts, and returns what stands in its place. */
type Moving = {
  readonly movesTexts?: boolean
  readonly withFiles?: (text: string, role: Exclude<PartRole, 'original'>) => string
}

/** Moves media, and large texts unless `movesTexts` is false, into parts of a case. */
export const moveToParts = (
  parts: PartsOfCase,
  { movesTexts = true, withFiles = (text) => text }: Moving = {},
): MoveToParts => {
  const { name } = parts
  const addMedia = (role: PartRole, { type, bytes }: Media): string | null =>
    parts.add(role, `${name} ${type.split('/')[0]}`, type, bytes)
  /** A text of Markdown in which pictures are parts. */
  const withoutPictures = (text: string, role: Exclude<PartRole, 'original'>): string =>
    text.includes(';base64,')
      ? text.replace(MARKDOWN_DATA, (whole, start: string, url: string, end: string) => {
          const media = dataUrlMedia(url)
          const digest = media === null ? null : addMedia(role, media)
          return digest === null ? whole : `${start}part:${digest}${end}`
        })
      : text
  const moveText = (whole: string, role: Exclude<PartRole, 'original'>, mayStay: boolean): string => {
    const media = dataUrlMedia(whole)
    const text = media === null ? withFiles(withoutPictures(whole, role), role) : whole
    if (media === null && ((mayStay && Buffer.byteLength(text) <= MAX_TEXT_BYTES) || !text.isWellFormed())) return text
    if (media === null && !movesTexts) return text
    const digest = media
      ? addMedia(role, media)
      : parts.add(role, `${name} text`, 'text/plain; charset=utf-8', Buffer.from(text))
    return digest === null ? text : `part:${digest}`
  }
  /** What stands in the place of a reference, so that a text with many of them is moved once. */
  const moved = new Map<string, string>()
  const move = (...[whole, role, resolve]: Parameters<MoveToParts>): Json => {
    let resolvedBytes = 0
    const moveAny = (value: Json): Json => {
      if (typeof value === 'string') {
        const text = resolve?.(value)
        if (text === undefined) return moveText(value, role, true)
        const known = moved.get(value)
        if (known !== undefined) return known
        resolvedBytes += text.length
        const place = moveText(text, role, resolvedBytes <= MAX_RESOLVED_BYTES)
        if (place !== text) moved.set(value, place)
        return place
      }
      if (Array.isArray(value)) return (value as Json[]).map(moveAny)
      if (!isObject(value) || isRawNumber(value)) return value
      const found = base64In(value)
      const digest = found === null ? null : addMedia(role, found.media)
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [
          key,
          digest !== null && key === found?.key ? `part:${digest}` : moveAny(member),
        ]),
      )
    }
    return moveAny(whole)
  }
  return Object.assign(move, { isPart: parts.has })
}
