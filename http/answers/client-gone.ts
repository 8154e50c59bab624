import type { FastifyReply } from 'fastify'

/**
 * Why a read is given up: one for all, since an error of its own for each request, with its stack, would cost more than
 * the rest.
 */
export const GONE = new Error('the answer is sent, or its client has left')

/** Aborts when the answer is sent or the client goes away: a read that still waits for its turn need not begin then. */
export const gone = (reply: FastifyReply): AbortSignal => {
  const left = new AbortController()
  if (reply.raw.destroyed) left.abort(GONE)
  else reply.raw.once('close', () => left.abort(GONE))
  return left.signal
}
