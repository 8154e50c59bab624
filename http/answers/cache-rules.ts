import { isOfApi } from '../requests/request-path.ts'

/** The headers of every answer to a read of the API: it is private, and the client revalidates it each time. */
export const CACHE_RULES = {
  'cache-control': 'private, no-cache',
  vary: 'Authorization, Cookie, Accept-Encoding',
} as const

/**
 * The headers of every answer: a browser runs no script from it and does not guess another type. Files of the web app
 * have their own policy instead.
 */
export const DATA_ONLY = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const

/** Whether the answer to a request has the cache rules, and an ETag if it is a 200. */
export const isApiRead = (request: { readonly method: string; readonly url: string }): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') && isOfApi(request)

/** Whether an `If-None-Match` header matches an ETag. The comparison is weak (RFC 9110, 13.1.2). */
export const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined && (namesTag(header, etag) || namesTag(header, '*'))

/** Whether a list of tags contains a tag. */
export const namesTag = (header: string, etag: string): boolean =>
  header === etag || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
