import type { FastifyReply } from 'fastify'

/** Aborts when the answer is sent or the client goes away: a read that still waits for its turn need not begin then. */
export const gone = (reply: FastifyReply): AbortSignal => {
  const left = new AbortController()
  if (reply.raw.destroyed) left.abort()
  else reply.raw.once('close', () => left.abort())
  return left.signal
}
