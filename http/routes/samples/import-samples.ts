import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { listSamples, SAMPLE_PROJECT, SAMPLE_SUITES, sampleDocuments } from '../../../runtime/sample-runs.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import type { Route } from '../route.ts'

const count = z.number().int()

const ImportedSamples = z
  .object({
    project: z.string(),
    loaded: count.meta({ description: 'Runs that were recorded' }),
    already_there: count.meta({ description: 'Runs of an earlier load' }),
  })
  .meta({ id: 'ImportedSamples' })

export const importSamplesRoute: Route = (app, { reader, commit, now }) => {
  /** Records a run; false if it is there. */
  const isRecorded = async (viewer: Viewer, id: string, body: Uint8Array): Promise<boolean> => {
    if (await reader.read(findRun(viewer, id))) return false
    try {
      await commit.ingestRun(viewer, { body, encoding: null, document_sha256: null, plan_id: null })
      return true
    } catch (error) {
      // Another load, of another time, was faster.
      if (error instanceof Refused && error.reason === 'conflict') return false
      throw error
    }
  }
  app.post(
    '/samples',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['runs'],
        operationId: 'importSamples',
        summary: 'Import sample runs, public results whose times are moved to now',
        response: { 200: ImportedSamples },
      },
    },
    async ({ viewer }) => {
      checkSeesAll(viewer, 'a load of samples')
      const files = await listSamples()
      const at = now()
      let [loaded, already_there] = [0, 0]
      // A suite at a time, oldest run first, as they would have arrived.
      for (const suite of SAMPLE_SUITES)
        for (const [id, body] of await sampleDocuments(suite, files, at))
          if (await isRecorded(viewer, id, body)) loaded++
          else already_there++
      return { project: SAMPLE_PROJECT, loaded, already_there }
    },
  )
}
