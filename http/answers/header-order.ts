import type { FastifyReply } from 'fastify'

/**
 * The first headers of every answer, in order, and the last one. Answers from memory and answers of the app have the
 * same order. Otherwise the order would show that an answer no longer comes from memory. From this a client could
 * conclude that data which is hidden from it has changed.
 */
const FIRST = [
  'x-request-id',
  'cache-control',
  'vary',
  'etag',
  'content-type',
  'x-content-type-options',
  'content-security-policy',
] as const
const LAST = 'content-length'

/** Headers that a 304 omits: the client already has them with its body. */
export const HEADERS_OF_BODY: ReadonlySet<string> = new Set(['content-type', 'content-length'])
const NONE: ReadonlySet<string> = new Set()

/** Returns the headers without `omitted`: first those of `FIRST`, then all others in their own order, then the length. */
export const inOrder = <V>(headers: Readonly<Record<string, V | undefined>>, omitted = NONE): Record<string, V> => {
  const ordered: Record<string, V> = {}
  const add = (name: string): void => {
    const value = headers[name]
    if (value !== undefined && !omitted.has(name)) ordered[name] = value
  }
  for (const name of FIRST) add(name)
  for (const name in headers) if (name !== LAST) add(name)
  add(LAST)
  return ordered
}

/** Puts the headers of the app's answer in that order. Hooks that add a header must run before this. */
export const orderHeaders = (reply: FastifyReply): void => {
  const headers = reply.getHeaders()
  for (const name in headers) void reply.removeHeader(name)
  void reply.headers(inOrder(headers))
}
