import { EvidenceList, evidenceItems, listEvidence, listOriginals } from '../../../queries/evidence/evidence.ts'
import { unlessBeingBuilt } from '../../../queries/reviews/judges.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const listEvidenceRoute: Route = (app, { reader }) =>
  app.get(
    '/runs/:id/evidence',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['evidence'],
        operationId: 'listEvidence',
        summary: 'The manifests of the evidence of a run, the oldest first, and its source files',
        params: IdPath,
        response: { 200: EvidenceList, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id } }) => {
      const { run_no } = mustExist(await reader.read(findRun(viewer, id)), 'run')
      const evidence = evidenceItems(await reader.read(listEvidence(run_no)))
      return { evidence, originals: await unlessBeingBuilt(reader.read(listOriginals(run_no)), () => []) }
    },
  )
