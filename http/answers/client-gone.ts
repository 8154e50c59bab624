import type { FastifyReply } from 'fastify'
import { CLIENT_LEFT } from '../../runtime/response-cache.ts'

/** Aborts when the answer is sent or the client goes away: a read that still waits for its turn need not begin then. */
export const abortWhenClientLeaves = (reply: FastifyReply): AbortSignal => {
  const left = new AbortController()
  if (reply.raw.destroyed) left.abort(CLIENT_LEFT)
  else reply.raw.once('close', () => left.abort(CLIENT_LEFT))
  return left.signal
}
