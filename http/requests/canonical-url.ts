import { LRUCache } from 'lru-cache'

/**
 * The canonical spellings of recent targets. Parsing a target takes some microseconds, which is long for a cached
 * response. A hit takes 1.9 times as long with `memo` as with `get` (60 ns against 32).
 */
const spellings = new LRUCache<string, string>({ max: 2_000 })

/** Longer targets are rare, and not worth their memory. */
const MAX_CACHED_LENGTH = 256

/**
 * Returns one spelling for all targets with the same meaning: parameters sorted by name, `%41` as `A`, no empty
 * parameters. A repeated parameter stays repeated. Any other unusual target is returned unchanged, and then it shares
 * its cached response with no other target.
 */
export const canonicalUrl = (url: string): string => {
  const queryAt = url.indexOf('?')
  if (queryAt < 0 && !url.includes('%') && !url.includes('#')) return url
  // The router also starts a query at `#`. A target that is a full URL contains a host.
  if (!url.startsWith('/') || url.includes('#')) return url
  const earlier = spellings.get(url)
  if (earlier !== undefined) return earlier
  const path = canonicalPath(queryAt < 0 ? url : url.slice(0, queryAt))
  const query = queryAt < 0 ? '' : canonicalQuery(url.slice(queryAt + 1))
  const canonical = query === '' ? path : `${path}?${query}`
  if (url.length <= MAX_CACHED_LENGTH) spellings.set(url, canonical)
  return canonical
}

/**
 * Escapes only the characters that a path part cannot contain (RFC 3986, pchar), so ids with colons stay readable.
 * Throws for an unpaired surrogate.
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
    // The escapes are not valid UTF-8. Such a request is rejected, so its response is never cached.
    return path
  }
}

const canonicalQuery = (query: string): string => {
  const parameters = new URLSearchParams(query)
  parameters.sort()
  return parameters.toString()
}
