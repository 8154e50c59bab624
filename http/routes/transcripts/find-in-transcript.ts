import { z } from 'zod'
import { TranscriptMatches } from '../../../queries/transcripts/find.ts'
import type { Outlines } from '../../../runtime/outlines/outlines.ts'
import { sendFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { freeText, limit } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { beginOutline, from, TranscriptPath } from './transcript-path.ts'

const FindQuery = z.strictObject({
  q: freeText.meta({ description: 'A text, without regard to case. It is found in the texts of events, whole.' }),
  from,
  limit: limit(200, 1000),
})

export const findInTranscriptRoute =
  (outlines: Outlines): Route =>
  (app, services) =>
    app.get(
      '/runs/:id/transcripts/:sha256/find',
      {
        config: { scope: 'read' },
        schema: {
          tags: ['evidence'],
          operationId: 'findInTranscript',
          summary: 'The events of a transcript that have a text, looked for in some hundred megabytes at a time',
          params: TranscriptPath,
          querystring: FindQuery,
          response: { 200: TranscriptMatches, 404: ErrorBody, ...LONG_READ },
        },
      },
      async ({ viewer, params, query: { from = 1, q = '', limit }, clientLeft }, reply) => {
        const name = await beginOutline(services, outlines, viewer, params)
        return sendFound(
          reply,
          await services.longReads.transcriptMatches(viewer, { ...name, q, limit, from }, clientLeft),
          'run',
        )
      },
    )
