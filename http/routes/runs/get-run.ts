import { tagsOfHolds } from '../../../commands/hold/tags.ts'
import { JUDGES, PLANS, PRINCIPALS, runTag, tagsOfSet } from '../../../commands/tags.ts'
import { judgedFields } from '../../../queries/reviews/judges.ts'
import type { HeldRun } from '../../../queries/runs/holds.ts'
import { readJudgedRun, RunDetail } from '../../../queries/runs/run-detail.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { findJudgedRun } from './held-run.ts'
import { previousIn } from './previous-in.ts'

export const getRunRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/runs/:id',
    {
      config: {
        scope: 'read',
        cached: {
          findSet: findJudgedRun(reader),
          tags: ({ id }: IdPath, _: object, run: HeldRun | null) => [
            runTag(id),
            PRINCIPALS,
            PLANS,
            JUDGES,
            ...tagsOfHolds(run),
            ...(run?.is_judged ? tagsOfSet(run) : []),
          ],
        },
      },
      schema: {
        tags: ['runs'],
        operationId: 'getRun',
        summary: 'A run with its summary, without its cases',
        params: IdPath,
        response: { 200: RunDetail, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params: { id }, clientLeft }) => {
      const { run, judges, mayHaveChanged } = mustExist(await readJudgedRun(reader, viewer, id), 'run')
      const previous = mayHaveChanged ? previousIn(await longReads.previous(viewer, { run_id: id }, clientLeft)) : null
      return { ...run, ...judgedFields(judges, previous?.judge_changed) }
    },
  )
