import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { etagOf } from '../queries/jobs.ts'

/**
 * Cache rules of the API's GETs: private, always revalidated, with a strong ETag over the body bytes (so that no number
 * betrays what the viewer cannot see) and 304 where the client holds them already.
 */
export const cacheable = (app: FastifyInstance): void => {
  app.addHook('onSend', async (request, reply, payload) => {
    // JSON is UTF-8 by definition; clients compare the bare type.
    if (reply.getHeader('content-type') === 'application/json; charset=utf-8') void reply.header('content-type', 'application/json')
    if (request.routeOptions.config?.page || !request.url.startsWith('/api/')) return payload
    if (request.method !== 'GET' && request.method !== 'HEAD') return payload
    void reply.header('cache-control', 'private, no-cache').header('vary', 'Authorization, Cookie, Accept-Encoding')
    if (reply.statusCode !== 200) return payload
    if (!reply.hasHeader('etag')) {
      if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return payload
      void reply.header('etag', etagOf(payload))
    }
    if (!matches(request.headers['if-none-match'], String(reply.getHeader('etag')))) return payload
    void reply.code(304).removeHeader('content-length').removeHeader('content-type')
    if (payload !== null && typeof payload === 'object' && 'destroy' in payload) (payload as { destroy: () => void }).destroy()
    // After this hook fastify's own for HEAD asks what a body is, and null it cannot ask.
    return request.method === 'HEAD' ? Readable.from([]) : null
  })
}

/** `If-None-Match` compares weakly (RFC 9110, 13.1.2). */
const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')))
