import { z } from 'zod'
import { PRINCIPALS, runTag } from '../../../commands/tags.ts'
import { listAnnotations, RunAnnotations } from '../../../queries/runs/annotations.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { IdPath, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const listRunAnnotationsRoute: Route = (app, { reader }) =>
  app.get(
    '/runs/:id/annotations',
    {
      config: { scope: 'read', cached: { tags: ({ id }: IdPath) => [runTag(id), PRINCIPALS] } },
      schema: {
        tags: ['runs'],
        operationId: 'listRunAnnotations',
        summary: 'What was added to a run after its upload, the newest change first',
        params: IdPath,
        querystring: z.strictObject(paged(20, 100)),
        response: { 200: RunAnnotations, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id }, query: { limit, cursor } }) => {
      const { run_no } = mustExist(await reader.read(findRun(viewer, id)), 'run')
      return reader.read(listAnnotations(run_no, { limit, cursor }))
    },
  )
