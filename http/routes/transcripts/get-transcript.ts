import { TranscriptSummary } from '../../../queries/transcripts/summary.ts'
import type { Outlines } from '../../../runtime/outlines/outlines.ts'
import { sendFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import type { Route } from '../route.ts'
import { beginOutline, TranscriptPath } from './transcript-path.ts'

export const getTranscriptRoute =
  (outlines: Outlines): Route =>
  (app, services) =>
    app.get(
      '/runs/:id/transcripts/:sha256',
      {
        config: { scope: 'read' },
        schema: {
          tags: ['evidence'],
          operationId: 'getTranscript',
          summary: 'What a transcript has: its totals, its spans, and its events over time',
          params: TranscriptPath,
          response: { 200: TranscriptSummary, 404: ErrorBody, ...LONG_READ },
        },
      },
      async ({ viewer, params, clientLeft }, reply) => {
        const name = await beginOutline(services, outlines, viewer, params)
        return sendFound(reply, await services.longReads.transcript(viewer, name, clientLeft), 'run')
      },
    )
