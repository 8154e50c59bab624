import { createHash } from 'node:crypto'
import { canonicalText } from './canonical-text.ts'

/** The format of a cache key. */
export const CACHE_KEY = /^sha256:[0-9a-f]{64}$/

/** Whether a text is a cache key: `sha256:` and 64 lower-case hex digits. */
export const isCacheKey = (text: string): boolean => CACHE_KEY.test(text)

/** Throws if the text is not a cache key: only a key may become part of a file name or an address. */
export const assertCacheKey = (text: string): void => {
  if (!isCacheKey(text)) throw new TypeError(`${JSON.stringify(text)} is not a cache key`)
}

/** The call whose response an entry stores. A salt counts if it is set, even if it is empty. */
export type CachedCall = {
  readonly request: unknown
  readonly repeat: number
  readonly provider_salt?: string
  readonly case_salt?: string
}

/** Returns the key of a call: SHA-256 of the canonical JSON of its request, repeat index and salts. */
export const cacheKey = ({ request, repeat, provider_salt, case_salt }: CachedCall): string => {
  const keyParts = {
    request,
    repeat,
    ...(provider_salt === undefined ? {} : { provider_salt }),
    ...(case_salt === undefined ? {} : { case_salt }),
  }
  return `sha256:${createHash('sha256').update(canonicalText(keyParts)).digest('hex')}`
}

/** The path of an entry in a cache directory: `<first 2 hex>/<64 hex>.json`, with a slash on every platform. */
export const cachePath = (key: string): string => `${key.slice(7, 9)}/${key.slice(7)}.json`

const PATH = /^([0-9a-f]{2})\/(\1[0-9a-f]{62})\.json$/

/** The key of the entry at a path in a cache directory; null if no entry can have this path. */
export const keyOfPath = (path: string): string | null => {
  const hex = PATH.exec(path)?.[2]
  return hex === undefined ? null : `sha256:${hex}`
}
