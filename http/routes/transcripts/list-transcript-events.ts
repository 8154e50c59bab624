import { z } from 'zod'
import { TranscriptEvents } from '../../../queries/transcripts/list-events.ts'
import type { Outlines } from '../../../runtime/outlines/outlines.ts'
import { sendFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { release } from '../../requests/body.ts'
import { limit, whole } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { beginOutline, eventFilters, from, TranscriptPath } from './transcript-path.ts'

const MAX_LISTED = 200

const EventsQuery = z.strictObject({
  from,
  message: whole().meta({
    type: 'integer',
    description: 'The number of a message, from 0: the list begins with its event, whatever `from` is.',
  }),
  limit: limit(MAX_LISTED, MAX_LISTED),
  ...eventFilters,
})

export const listTranscriptEventsRoute =
  (outlines: Outlines): Route =>
  (app, services) =>
    app.get(
      '/runs/:id/transcripts/:sha256/events',
      {
        config: { scope: 'read' },
        schema: {
          tags: ['evidence'],
          operationId: 'listTranscriptEvents',
          summary: 'Events of a transcript: as many as fit into 1 MiB, the texts of long ones shortened',
          params: TranscriptPath,
          querystring: EventsQuery,
          response: { 200: TranscriptEvents, 404: ErrorBody, ...LONG_READ },
        },
      },
      async ({ viewer, params, query: { from = 1, ...query }, clientLeft }, reply) => {
        const name = await beginOutline(services, outlines, viewer, params)
        const found = await services.longReads.transcriptEvents(viewer, { ...name, ...query, from }, clientLeft)
        // A megabyte that nothing else has: else a reader of many pages makes this thread collect garbage for half of its time.
        const body = found?.body
        if (body instanceof Uint8Array) reply.raw.once('close', () => release(body))
        return sendFound(reply, found, 'run')
      },
    )
