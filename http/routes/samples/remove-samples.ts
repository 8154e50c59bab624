import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { listSamples, SAMPLE_PROJECT } from '../../../runtime/sample-runs.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import type { Route } from '../route.ts'

const count = z.number().int()

const RemovedSamples = z
  .object({
    removed: count.meta({ description: 'Runs that were deleted' }),
    held: count.meta({ description: 'Runs that stay, because they are under legal hold' }),
  })
  .meta({ id: 'RemovedSamples' })

export const removeSamplesRoute: Route = (app, { reader, commit }) =>
  app.delete(
    '/samples',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['runs'],
        operationId: 'removeSamples',
        summary: 'Delete the sample runs, whatever else is in their project',
        response: { 200: RemovedSamples },
      },
    },
    async ({ viewer }) => {
      checkSeesAll(viewer, 'a removal of samples')
      let [removed, held] = [0, 0]
      for (const { run_id } of await listSamples()) {
        if ((await reader.read(findRun(viewer, run_id)))?.project !== SAMPLE_PROJECT) continue
        try {
          await commit.deleteRun(viewer, { run_id })
          removed++
        } catch (error) {
          // Another request deleted it meanwhile, or it is under legal hold.
          if (!(error instanceof Refused) || (error.reason !== 'not_found' && error.reason !== 'conflict')) throw error
          if (error.reason === 'conflict') held++
        }
      }
      return { removed, held }
    },
  )
