import { z } from 'zod'
import { TranscriptOutline } from '../../../queries/transcripts/list-outline.ts'
import type { Outlines } from '../../../runtime/outlines/outlines.ts'
import { sendFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { limit } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { beginOutline, eventFilters, from, TranscriptPath } from './transcript-path.ts'

const MAX_LISTED = 2000

const OutlineQuery = z.strictObject({ from, limit: limit(MAX_LISTED, MAX_LISTED), ...eventFilters })

export const listTranscriptOutlineRoute =
  (outlines: Outlines): Route =>
  (app, services) =>
    app.get(
      '/runs/:id/transcripts/:sha256/outline',
      {
        config: { scope: 'read' },
        schema: {
          tags: ['evidence'],
          operationId: 'listTranscriptOutline',
          summary: 'The events of a transcript in a line each',
          params: TranscriptPath,
          querystring: OutlineQuery,
          response: { 200: TranscriptOutline, 404: ErrorBody, ...LONG_READ },
        },
      },
      async ({ viewer, params, query: { from = 1, ...query }, clientLeft }, reply) => {
        const name = await beginOutline(services, outlines, viewer, params)
        return sendFound(
          reply,
          await services.longReads.transcriptOutline(viewer, { ...name, ...query, from }, clientLeft),
          'run',
        )
      },
    )
