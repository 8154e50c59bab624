import { createHash } from 'node:crypto'
import { canonicalJson } from '../run/canonical-json.ts'

/** What a cache key looks like. */
export const CACHE_KEY = /^sha256:[0-9a-f]{64}$/

/** Whether a text is a cache key: `sha256:` and 64 lower-case hex digits. */
export const isCacheKey = (text: string): boolean => CACHE_KEY.test(text)

/** Throws on what is no cache key: only those name a file or an address. */
export const assertCacheKey = (text: string): void => {
  if (!isCacheKey(text)) throw new TypeError(`${JSON.stringify(text)} is no cache key`)
}

/** What a cached answer is the answer to. A salt that is set counts even when it is empty. */
export type CachedCall = {
  readonly request: unknown
  readonly repeat: number
  readonly provider_salt?: string
  readonly case_salt?: string
}

/** The key of a call: SHA-256 over the canonical JSON of its request, repeat index and salts. */
export const cacheKey = ({ request, repeat, provider_salt, case_salt }: CachedCall): string => {
  const keyed = {
    request,
    repeat,
    ...(provider_salt === undefined ? {} : { provider_salt }),
    ...(case_salt === undefined ? {} : { case_salt }),
  }
  return `sha256:${createHash('sha256').update(canonicalJson(keyed)).digest('hex')}`
}

/** Where a directory of entries keeps a key: `<first 2 hex>/<64 hex>.json`, with a slash on every platform. */
export const cachePath = (key: string): string => `${key.slice(7, 9)}/${key.slice(7)}.json`

const PATH = /^([0-9a-f]{2})\/(\1[0-9a-f]{62})\.json$/

/** The key that a path below a directory of entries stands for; null for every other name. */
export const keyOfPath = (path: string): string | null => {
  const hex = PATH.exec(path)?.[2]
  return hex === undefined ? null : `sha256:${hex}`
}
