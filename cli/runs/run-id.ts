import { UsageError } from '../../engine/json.ts'
import { mayBeId, resolveRun } from '../../engine/store/resolve-run.ts'
import type { RunStore } from '../../engine/store/run-store.ts'

/**
 * The id of a run on the service: that of a local one, else the reference itself where it can be an id. Throws
 * `UsageError` for a reference that is neither.
 */
export const resolveRunId = async (reference: string, store: RunStore): Promise<string> => {
  try {
    return (await resolveRun(reference, store)).run.run_id
  } catch (error) {
    if (!(error instanceof UsageError) || !mayBeId(reference)) throw error
    return reference
  }
}
