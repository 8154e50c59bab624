import { tagsOfHolds } from '../../../commands/hold/tags.ts'
import { PRINCIPALS, runTag, tagsOfSet } from '../../../commands/tags.ts'
import type { HeldRun } from '../../../queries/runs/holds.ts'
import { findPreviousRun } from '../../../queries/runs/previous-run.ts'
import { findRunInSuite, RunInSuite } from '../../../queries/runs/run-in-suite.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { findHeldRun } from './held-run.ts'
import { previousIn } from './previous-in.ts'

/** A run with more cases is compared with the previous one in a reader thread. */
const MANY_CASES = 2_000

export const getRunInSuiteRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/runs/:id/in-suite',
    {
      config: {
        scope: 'read',
        cached: {
          levels: true,
          findSet: findHeldRun(reader),
          tags: ({ id }: IdPath, _: object, run: HeldRun | null) => [
            runTag(id),
            PRINCIPALS,
            ...tagsOfSet(run),
            ...tagsOfHolds(run),
          ],
        },
      },
      schema: {
        tags: ['runs'],
        operationId: 'getRunInSuite',
        summary: 'A run, the baseline of its suite, what the viewer may do there, and the previous run that is like it',
        params: IdPath,
        response: { 200: RunInSuite, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params, clientLeft }) => {
      const run = mustExist(await findRunInSuite(reader, viewer, params.id), 'run')
      const found =
        run.case_count > MANY_CASES
          ? previousIn(await longReads.previous(viewer, { run_id: params.id }, clientLeft))
          : await findPreviousRun(reader, viewer, params.id)
      // The run may be deleted meanwhile.
      const { previous, judge_changed } = mustExist(found, 'run')
      return { ...run, previous, ...(judge_changed && { judge_changed }) }
    },
  )
