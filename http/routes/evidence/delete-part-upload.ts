import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { PartPath } from './part-path.ts'

export const deletePartUploadRoute: Route = (app, { partStore }) =>
  app.delete(
    '/parts/:sha256/upload',
    {
      config: { scope: 'write' },
      schema: {
        tags: ['evidence'],
        operationId: 'deletePartUpload',
        summary: 'Drop what the caller has sent of a part that no run names',
        params: PartPath,
        response: { 204: z.null(), 404: ErrorBody },
      },
    },
    async ({ viewer, params: { sha256 } }, reply) => {
      await partStore.dropUpload(viewer, sha256)
      return reply.code(204).send(null)
    },
  )
