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
/** Where a picture or a link of Markdown has a data URL. The base64 is no part of it: a regular expression takes a step on the stack for each character. */
const MARKDOWN_DATA = /\]\(\s{0,10}<?(data:[a-z]{1,30}\/[\w.+-]{1,60};base64,)/gi
/** Texts that one line has in the place of references to them; further ones are parts. */
const MAX_RESOLVED_BYTES = 4 * 1024 * 1024

/** `withFiles` adds the files that a text names to the parts, and returns what stands in its place. */
type Moving = {
  readonly movesTexts?: boolean
  /**
   * Whether a text of Markdown keeps the pictures that are parts too, by its length: a page draws them from the text alone. By default
   * if it is no longer than a text that stays.
   */
  readonly keepsPictures?: (length: number) => boolean
  readonly withFiles?: (text: string, role: Exclude<PartRole, 'original'>) => string
}

/** The data URLs of pictures and links in a text of Markdown, each with the place where it begins. */
const dataUrlsIn = function* (text: string): Generator<{ readonly at: number; readonly url: string }> {
  for (const { index, 0: whole, 1: start = '' } of text.matchAll(MARKDOWN_DATA)) {
    let end = index + whole.length
    while (isBase64(text.charCodeAt(end))) end++
    const at = index + whole.length - start.length
    if (/^>?[\s)]/.test(text.slice(end, end + 2))) yield { at, url: text.slice(at, end) }
  }
}

const BASE64_CODES = new Set(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='].map((character) => character.charCodeAt(0)),
)
const isBase64 = (code: number): boolean => BASE64_CODES.has(code)

/** Moves media, and large texts unless `movesTexts` is false, into parts of a case. */
export const moveToParts = (
  parts: PartsOfCase,
  { movesTexts = true, keepsPictures = (length) => length <= MAX_TEXT_BYTES, withFiles = (text) => text }: Moving = {},
): MoveToParts => {
  const { name } = parts
  const addMedia = (role: PartRole, { type, bytes }: Media): string | null =>
    parts.add(role, `${name} ${type.split('/')[0]}`, type, bytes)
  /** A text of Markdown whose pictures are parts. They stay in a text that may keep them. */
  const withoutPictures = (text: string, role: Exclude<PartRole, 'original'>): string => {
    if (!text.includes(';base64,')) return text
    const pieces: string[] = []
    let copied = 0
    for (const { at, url } of dataUrlsIn(text)) {
      const media = dataUrlMedia(url)
      const digest = media === null ? null : addMedia(role, media)
      if (digest === null) continue
      pieces.push(text.slice(copied, at), `part:${digest}`)
      copied = at + url.length
    }
    return copied === 0 || keepsPictures(text.length) ? text : `${pieces.join('')}${text.slice(copied)}`
  }
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
