import { z } from 'zod'
import { listEvidence, numberOfEvidence } from '../../../queries/evidence/evidence.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { sendPart } from './send-part.ts'

export const getEvidenceManifestRoute: Route = (app, services) =>
  app.get(
    '/runs/:id/evidence/:n',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['evidence'],
        operationId: 'getEvidenceManifest',
        summary: 'A manifest of the evidence of a run, byte for byte',
        params: IdPath.extend({
          n: z.string().meta({
            description: '0 for what came with the upload, from 1 for what was added later.',
            type: 'integer',
            minimum: 0,
          }),
        }),
        response: { 200: z.unknown(), 206: z.unknown(), 404: ErrorBody, 416: ErrorBody, 503: ErrorBody },
      },
    },
    async (request, reply) => {
      const { viewer, params } = request
      const { run_no } = mustExist(await services.reader.read(findRun(viewer, params.id)), 'run')
      const evidence = await services.reader.read(listEvidence(run_no))
      const item = mustExist(
        evidence.find((_, i) => String(numberOfEvidence(evidence, i)) === params.n),
        'run',
      )
      return sendPart(request, reply, services, { run_id: params.id, sha256: item.manifest_sha256 }, MANIFEST)
    },
  )

const MANIFEST = { name: 'manifest.json', type: 'application/json' } as const
