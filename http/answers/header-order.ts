import type { FastifyReply } from 'fastify'

/**
 * The order of the headers of every answer, whether it comes from memory or is made by the app: otherwise their order
 * alone would show that something changed which the client may not see.
 */
const FIRST = ['x-request-id', 'cache-control', 'vary', 'etag', 'content-type', 'x-content-type-options'] as const
const LAST = 'content-length'

/** What a 304 leaves out: the client has it with the body that it holds. */
export const HEADERS_OF_BODY: ReadonlySet<string> = new Set(['content-type', 'content-length'])
const NOTHING: ReadonlySet<string> = new Set()

/**
 * The same headers but for those to leave out: known ones in the order of all answers, others between those and the
 * length as they came.
 */
export const inOrder = <V>(headers: Readonly<Record<string, V | undefined>>, without = NOTHING): Record<string, V> => {
  const ordered: Record<string, V> = {}
  const add = (name: string): void => {
    const value = headers[name]
    if (value !== undefined && !without.has(name)) ordered[name] = value
  }
  for (const name of FIRST) add(name)
  for (const name in headers) if (name !== LAST) add(name)
  add(LAST)
  return ordered
}

/** Puts the headers of the app's answer in that order. Whatever adds a header must run before this. */
export const orderHeaders = (reply: FastifyReply): void => {
  const headers = reply.getHeaders()
  for (const name in headers) void reply.removeHeader(name)
  void reply.headers(inOrder(headers))
}
