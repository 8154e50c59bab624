import { Refused } from '../../../commands/refused.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { MAX_COMPARED_CASES } from '../../../queries/statistics/outcomes.ts'
import type { Reader } from '../../../storage/storage.ts'
import { notFound } from '../../errors.ts'

/** Counts the cases of runs. Throws for an unknown or hidden run. */
export const countCases = async (reader: Reader, viewer: Viewer, ids: readonly string[]): Promise<number> => {
  let cases = 0
  for (const id of ids) {
    const run = await reader.read(findRun(viewer, id))
    if (!run) throw notFound('run')
    cases += run.stored_cases
  }
  return cases
}

/** Throws for an unknown or hidden run, and for runs that together have too many cases. */
export const checkSize = async (reader: Reader, viewer: Viewer, ids: readonly string[]): Promise<void> => {
  const cases = await countCases(reader, viewer, ids)
  if (cases > MAX_COMPARED_CASES)
    throw new Refused('unprocessable', `the runs have ${cases} cases; statistics cover at most ${MAX_COMPARED_CASES}`)
}
