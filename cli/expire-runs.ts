import { setImmediate as turn } from 'node:timers/promises'
import { findBaselineOfRun } from '../queries/baselines.ts'
import { findNewerRun, listRunsBefore } from '../queries/expired-runs.ts'
import type { Position } from '../queries/run-walk.ts'
import { SYSTEM } from '../queries/viewer.ts'
import type { OpenService } from './open-service.ts'

/** Old runs that are listed at once. */
const A_PAGE = 50

export type Expiring = {
  /** Epoch milliseconds: runs of before may go. */
  readonly before: number
  readonly signal: AbortSignal
}

/**
 * Deletes the runs of before an instant, oldest first and one after the other, but pinned baselines and the newest of each project, suite and branch.
 * Answers how many this process deleted: another may do the same at the same time.
 */
export const expireRuns = async ({ reader, commit }: Pick<OpenService, 'reader' | 'commit'>, { before, signal }: Expiring): Promise<number> => {
  let deleted = 0
  let after: Position | null = null
  for (;;) {
    const page: Awaited<ReturnType<typeof listed>> = await listed(reader, before, after)
    for (const found of page) {
      // Reads of a file are answered at once: without a turn of everybody else between two runs, those of a page would be one.
      await turn()
      if (signal.aborted) return deleted
      // Only saves the lock for those that stay: the command asks again.
      const { newer, baseline } = await reader.readAll({ newer: findNewerRun(found, found.created_at), baseline: findBaselineOfRun(found.id) })
      if (!newer || baseline) continue
      if ((await commit('expireRun', SYSTEM, { found, before })).deleted) deleted++
    }
    const last = page.at(-1)
    if (last === undefined || page.length < A_PAGE) return deleted
    after = last
  }
}

const listed = (reader: OpenService['reader'], before: number, after: Position | null) => reader.read(listRunsBefore(SYSTEM, before, { after, limit: A_PAGE }))
