import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { digest } from './part-path.ts'

const Attached = z.object({ n: z.int() }).meta({ id: 'AttachedEvidence' })

export const attachEvidenceRoute: Route = (app, { commit, config }) =>
  app.post(
    '/runs/:id/evidence',
    {
      config: { scope: 'write', body: 'fields' },
      schema: {
        tags: ['evidence'],
        operationId: 'attachEvidence',
        summary: 'Add evidence to a run: its parts and the manifest were sent before',
        params: IdPath,
        body: z.strictObject({ manifest: digest }),
        response: { 200: Attached, 201: Attached, 404: ErrorBody, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id }, body: { manifest } }, reply) => {
      const { created, n } = await commit.attachEvidence(viewer, {
        run_id: id,
        manifest,
        maxPartBytes: config.parts.maxRunBytes,
      })
      return reply.code(created ? 201 : 200).send({ n })
    },
  )
