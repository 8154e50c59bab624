import type { FastifyReply } from 'fastify'
import { CLIENT_LEFT } from '../../runtime/response-cache.ts'

/** Aborts when the answer is sent or the client disconnects: a read that is still queued then need not start. */
export const abortWhenClientLeaves = (reply: FastifyReply): AbortSignal => {
  const left = new AbortController()
  if (reply.raw.destroyed) left.abort(CLIENT_LEFT)
  else reply.raw.once('close', () => left.abort(CLIENT_LEFT))
  return left.signal
}
