import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { z } from 'zod'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { findPreviousLike } from './previous-run.ts'
import { findRun } from './run.ts'

// What changed in each of several runs since its previous like run, for a list of runs.

const count = z.number().int()

export const RunChanges = z
  .object({
    /** In the order of the request. Unknown and hidden runs are left out, and the last ones of many large runs. */
    runs: z.array(
      z.object({
        run_id: z.string(),
        /** Null if no earlier run of the suite has the same providers and at least 60 % of the cases. */
        previous: z
          .object({
            id: z.string(),
            /** Passed before, fails or has an error now. */
            worse: count,
            /** Failed or had an error before, passes now. */
            better: count,
          })
          .nullable(),
      }),
    ),
  })
  .meta({ id: 'RunChanges' })
export type RunChanges = z.infer<typeof RunChanges>

export const MAX_CHANGED_RUNS = 50

/** Cases of all runs together after which no other run is compared. */
const MAX_CASES = 500_000

export const listRunChanges = async (reader: Reader, viewer: Viewer, ids: readonly string[]): Promise<RunChanges> => {
  const runs: RunChanges['runs'] = []
  let cases = 0
  for (const id of ids) {
    const run = await reader.read(findRun(viewer, id))
    if (!run) continue
    cases += run.stored_cases
    if (cases > MAX_CASES && runs.length > 0) break
    // Other reads of the thread go on.
    await yieldToEventLoop()
    const previous = (await findPreviousLike(reader, run))?.previous ?? null
    runs.push({
      run_id: id,
      previous: previous && { id: previous.id, worse: previous.worse, better: previous.better },
    })
  }
  return { runs }
}
