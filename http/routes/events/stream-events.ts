import { z } from 'zod'
import { inOrder } from '../../answers/header-order.ts'
import { LONG_READ } from '../../errors.ts'
import type { Gate } from '../../identity/gate.ts'
import { optionalText } from '../../requests/shared-parameters.ts'
import type { EventStreams } from '../../streams/event-streams.ts'
import type { Route } from '../route.ts'

const HEADERS = {
  'cache-control': 'no-store',
  'content-type': 'text/event-stream',
  // Some proxies collect an answer before they pass it on.
  'x-accel-buffering': 'no',
} as const

/** Which changes are reported, and from where the stream resumes. */
const EventStreamQuery = z.strictObject({
  project: optionalText,
  suite: optionalText,
  after: optionalText.meta({
    description: 'The id of the last message that was received. The header `Last-Event-ID` takes precedence.',
  }),
})

/** Reports what changes. It names what to fetch again and holds no content. */
export const streamEventsRoute =
  (streams: EventStreams, gate: Pick<Gate, 'headersOf' | 'recordAnswer'>): Route =>
  (app) =>
    app.get(
      '/events/stream',
      {
        config: { scope: 'read', endless: true },
        schema: {
          tags: ['events'],
          operationId: 'streamEvents',
          summary: 'Changes as server-sent events: changed, access, reset',
          querystring: EventStreamQuery,
          response: { 200: { content: { 'text/event-stream': { schema: z.string() } } }, ...LONG_READ },
        },
      },
      async (request, reply) => {
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
      },
    )
