import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { findRun } from '../runs/run.ts'
import { MAX_COMPARED_CASES } from '../statistics/outcomes.ts'
import { noRun } from './refusals.ts'
import { ToolError } from './tool.ts'

/** Throws `ToolError` for an unknown or hidden run, and for runs that together have too many cases for statistics. */
export const checkComparable = async (reader: Reader, viewer: Viewer, ids: readonly string[]): Promise<void> => {
  let cases = 0
  for (const id of ids) {
    const run = await reader.read(findRun(viewer, id))
    if (!run) throw noRun(id)
    cases += run.stored_cases
  }
  if (cases > MAX_COMPARED_CASES)
    throw new ToolError(`the runs have ${cases} cases; columns are compared in at most ${MAX_COMPARED_CASES}`)
}
