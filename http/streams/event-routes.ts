import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { inOrder } from '../answers/header-order.ts'
import { ErrorBody } from '../errors.ts'
import type { Gate } from '../identity/gate.ts'
import { EventStreamQuery } from '../requests/shared-parameters.ts'
import type { EventStreams } from './event-streams.ts'

const HEADERS = {
  'cache-control': 'no-store',
  'content-type': 'text/event-stream',
  // Some proxies collect an answer before they pass it on.
  'x-accel-buffering': 'no',
} as const

/** Reports what changes, as a stream of server-sent events. It names what to fetch again and holds no content. */
export const eventRoutes =
  (streams: EventStreams, gate: Pick<Gate, 'headersOf' | 'recordAnswer'>): FastifyPluginAsyncZod =>
  async (app) => {
    const schema = {
      tags: ['events'],
      operationId: 'streamEvents',
      summary: 'What changes, as server-sent events: changed, access, reset',
      querystring: EventStreamQuery,
      response: {
        200: { content: { 'text/event-stream': { schema: z.string() } } },
        400: ErrorBody,
        429: ErrorBody,
        503: ErrorBody,
      },
    }
    app.get('/events/stream', { config: { scope: 'read', endless: true }, schema }, async (request, reply) => {
      const { method, url, id: request_id, viewer, query, raw, routeOptions } = request
      const headers = inOrder({ ...gate.headersOf(request_id, true), ...HEADERS })
      const begin = (): void => {
        reply.hijack()
        reply.raw.writeHead(200, headers)
        const { elapsedTime: milliseconds } = reply
        gate.recordAnswer({ method, url, route: routeOptions.url ?? '', request_id, status: 200, milliseconds })
      }
      if (method === 'HEAD') {
        begin()
        reply.raw.end()
        return reply
      }
      const { after, ...filter } = query
      const given = request.headers['last-event-id']
      await streams.open({
        request: raw,
        response: reply.raw,
        viewer,
        rules: routeOptions.config,
        filter,
        // The header is of a later time: a browser sends it when it connects again to the same address.
        after: (typeof given === 'string' && given !== '' ? given : after) || null,
        begin,
      })
      return reply
    })
  }
