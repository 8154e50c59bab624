import type { FastifyReply } from 'fastify'
import { GONE } from '../../runtime/response-cache.ts'

/** Aborts when the answer is sent or the client goes away: a read that still waits for its turn need not begin then. */
export const gone = (reply: FastifyReply): AbortSignal => {
  const left = new AbortController()
  if (reply.raw.destroyed) left.abort(GONE)
  else reply.raw.once('close', () => left.abort(GONE))
  return left.signal
}
