import { Refused } from '../../../commands/refused.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { findRun, type Run } from '../../../queries/runs/run.ts'
import { MAX_COMPARED_CASES } from '../../../queries/statistics/outcomes.ts'
import type { Reader } from '../../../storage/storage.ts'
import { mustExist } from '../../errors.ts'

/** Finds runs. Throws for an unknown or hidden run. */
export const findRuns = async (reader: Reader, viewer: Viewer, ids: readonly string[]): Promise<Run[]> => {
  const runs: Run[] = []
  for (const id of ids) runs.push(mustExist(await reader.read(findRun(viewer, id)), 'run'))
  return runs
}

/** Finds runs. Throws for an unknown or hidden run, and for runs that together have too many cases. */
export const findComparable = async (reader: Reader, viewer: Viewer, ids: readonly string[]): Promise<Run[]> => {
  const runs = await findRuns(reader, viewer, ids)
  const cases = runs.reduce((sum, { stored_cases }) => sum + stored_cases, 0)
  if (cases > MAX_COMPARED_CASES)
    throw new Refused('unprocessable', `the runs have ${cases} cases; statistics cover at most ${MAX_COMPARED_CASES}`)
  return runs
}
