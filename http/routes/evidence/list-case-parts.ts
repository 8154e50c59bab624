import { z } from 'zod'
import { findCaseInRun } from '../../../queries/cases/cases.ts'
import { EvidencePart, listCaseParts } from '../../../queries/evidence/evidence.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { CasePath } from '../cases/get-case.ts'
import type { Route } from '../route.ts'

const CaseParts = z.object({ parts: z.array(EvidencePart) }).meta({ id: 'CaseParts' })

export const listCasePartsRoute: Route = (app, { reader }) =>
  app.get(
    '/runs/:id/cases/:case_key/parts',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['evidence'],
        operationId: 'listCaseParts',
        summary: 'The parts of a case: its transcript, inputs, outputs and what graded it',
        params: CasePath,
        response: { 200: CaseParts, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id, case_key } }) => {
      const { run_no } = mustExist(await reader.read(findRun(viewer, id)), 'run')
      mustExist(await findCaseInRun(reader, viewer, id, case_key), 'run')
      return { parts: await reader.read(listCaseParts(run_no, case_key)) }
    },
  )
