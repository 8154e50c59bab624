import { z } from 'zod'
import { findEvent } from '../../../queries/transcripts/event.ts'
import { findTranscript } from '../../../queries/transcripts/transcript.ts'
import type { Outlines } from '../../../runtime/outlines/outlines.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import type { Route } from '../route.ts'
import { sendPart } from '../evidence/send-part.ts'
import { TranscriptPath } from './transcript-path.ts'

/** A line may be no JSON. */
const content = { 'application/json': { schema: z.unknown() }, 'application/octet-stream': { schema: z.unknown() } }

export const getTranscriptEventRoute =
  (outlines: Outlines): Route =>
  (app, services) =>
    app.get(
      '/runs/:id/transcripts/:sha256/events/:n',
      {
        config: { scope: 'read' },
        schema: {
          tags: ['evidence'],
          operationId: 'getTranscriptEvent',
          summary: 'An event of a transcript, whole: its line, byte for byte',
          params: TranscriptPath.extend({
            n: z.string().meta({ description: 'The number of the event, from 1.', type: 'integer', minimum: 1 }),
          }),
          response: {
            200: { description: 'The line of the event.', content },
            206: { description: 'The range of it that was asked for.', content },
            404: ErrorBody,
            416: ErrorBody,
            ...LONG_READ,
          },
        },
      },
      async (request, reply) => {
        const { viewer, params } = request
        const name = { run_id: params.id, sha256: params.sha256 }
        const part = mustExist(await services.reader.read(findTranscript(viewer, name)), 'run')
        await outlines.begin(viewer, name, part)
        const { offset, bytes, type } = mustExist(await findEvent(services.reader, part, params.n), 'run')
        return sendPart(request, reply, services, name, {
          name: `event-${params.n}.${type === 'text' ? 'txt' : 'json'}`,
          type: type === 'text' ? 'application/octet-stream' : 'application/json',
          within: { etag: `"${params.sha256}-${params.n}"`, from: offset, to: offset + bytes },
        })
      },
    )
