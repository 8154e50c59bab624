import { z } from 'zod'
import { ErrorBody, mustExist } from '../../errors.ts'
import type { Route } from '../route.ts'
import { PartPath } from './part-path.ts'

const Upload = z
  .object({
    bytes: z.int(),
    received: z.int(),
    missing: z.array(z.tuple([z.int(), z.int()])).meta({ description: 'The first and the last byte of each gap' }),
    complete: z.boolean(),
  })
  .meta({ id: 'PartUpload' })

export const getPartUploadRoute: Route = (app, { partStore }) =>
  app.get(
    '/parts/:sha256/upload',
    {
      config: { scope: 'write' },
      schema: {
        tags: ['evidence'],
        operationId: 'getPartUpload',
        summary: 'What the caller has sent of a part that no run names',
        params: PartPath,
        response: { 200: Upload, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { sha256 } }) => mustExist(await partStore.findUpload(viewer, sha256), 'upload'),
  )
