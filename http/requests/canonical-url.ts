import { LRUCache } from 'lru-cache'

/** Targets whose spelling is known: parsing one costs some microseconds, which a cached answer has not many of. */
const known = new LRUCache<string, string>({ max: 2_000 })

/** Longer targets are rare, and not worth their memory. */
const MAX_KNOWN_LENGTH = 256

/**
 * One spelling for all targets that ask the same: parameters in order of their names, `%41` and `A` alike, no empty
 * ones. A parameter that is given twice stays twice. What is odd otherwise stays as it is: it then shares an answer
 * with nothing.
 */
export const canonicalUrl = (url: string): string => {
  const at = url.indexOf('?')
  if (at < 0 && !url.includes('%') && !url.includes('#')) return url
  // The router reads `#` as the begin of a query, too; a target in full names a host.
  if (!url.startsWith('/') || url.includes('#')) return url
  const before = known.get(url)
  if (before !== undefined) return before
  const path = canonicalPath(at < 0 ? url : url.slice(0, at))
  const query = at < 0 ? '' : canonicalQuery(url.slice(at + 1))
  const canonical = query === '' ? path : `${path}?${query}`
  if (url.length <= MAX_KNOWN_LENGTH) known.set(url, canonical)
  return canonical
}

/**
 * Escapes what a path part cannot hold and nothing else (RFC 3986, pchar): ids with colons stay readable. Throws for
 * half a surrogate pair.
 */
export const pathPart = (text: string): string =>
  encodeURIComponent(text).replace(/%(?:3A|40|24|26|2B|2C|3B|3D)/g, decodeURIComponent)

const canonicalPath = (path: string): string => {
  if (!path.includes('%')) return path
  try {
    return path
      .split('/')
      .map((part) => pathPart(decodeURIComponent(part)))
      .join('/')
  } catch {
    // No UTF-8 behind the percent signs: refused, so never cached.
    return path
  }
}

const canonicalQuery = (query: string): string => {
  const read = new URLSearchParams(query)
  read.sort()
  return read.toString()
}
