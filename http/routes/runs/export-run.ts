import { Readable } from 'node:stream'
import { z } from 'zod'
import { isStillAllowed } from '../../../queries/access/current-access.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { bytesHeldBy, EXPORT_BYTES } from '../../answers/outgoing-bytes.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const exportRunRoute: Route = (app, { reader, documents }) =>
  app.get(
    '/runs/:id/export',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['runs'],
        operationId: 'exportRun',
        summary: 'The uploaded document, byte for byte',
        params: IdPath,
        response: { 200: z.unknown(), 404: ErrorBody, 503: ErrorBody },
      },
    },
    async ({ method, viewer, params }, reply) => {
      const run = mustExist(await reader.read(findRun(viewer, params.id)), 'run')
      void reply
        .type('application/json')
        .header('content-length', run.document_bytes)
        .header('etag', `"${run.document_sha256}"`)
      // For HEAD the document is not read.
      if (method === 'HEAD') return reply.send(Readable.from([]))
      const mayContinue = async (): Promise<boolean> =>
        (await isStillAllowed(reader, viewer)) && (await reader.read(findRun(viewer, params.id)))?.run_no === run.run_no
      return reply.send(
        bytesHeldBy(
          Readable.from(documents.whole(run, mayContinue), { objectMode: false, highWaterMark: 512 * 1024 }),
          Math.min(run.document_bytes, EXPORT_BYTES),
        ),
      )
    },
  )
