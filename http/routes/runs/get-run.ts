import { tagsOfHolds } from '../../../commands/hold/tags.ts'
import { PLANS, PRINCIPALS, runTag } from '../../../commands/tags.ts'
import { findRunDetail, RunDetail } from '../../../queries/runs/run-detail.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { findHeldRun, type HeldRun } from './held-run.ts'

export const getRunRoute: Route = (app, { reader }) =>
  app.get(
    '/runs/:id',
    {
      config: {
        scope: 'read',
        cached: {
          findSet: findHeldRun(reader),
          tags: ({ id }: IdPath, _: object, run: HeldRun | null) => [
            runTag(id),
            PRINCIPALS,
            PLANS,
            ...tagsOfHolds(run),
          ],
        },
      },
      schema: {
        tags: ['runs'],
        operationId: 'getRun',
        summary: 'A run with its summary, without its cases',
        params: IdPath,
        response: { 200: RunDetail, 404: ErrorBody },
      },
    },
    async ({ viewer, params }) => mustExist(await reader.read(findRunDetail(viewer, params.id)), 'run'),
  )
