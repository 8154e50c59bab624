import { setImmediate as turn } from 'node:timers/promises'
import { findBaselineOfRun } from '../../queries/sets/baselines.ts'
import { findNewerRun, listRunsBefore } from '../../queries/runs/expired-runs.ts'
import type { AgedRun } from '../../queries/runs/expired-runs.ts'
import type { Position } from '../../queries/runs/run-walk.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { OpenService } from '../open-service.ts'

/** Old runs that are listed at once. */
const A_PAGE = 50

export type Expiring = {
  /** Epoch milliseconds: runs of before may go. */
  readonly before: number
  readonly signal: AbortSignal
  /** Who asks for it: what the asker cannot see stays. The service itself unless told otherwise. */
  readonly viewer?: Viewer
  /** Only counts what would be deleted. */
  readonly dryRun?: boolean
}

/**
 * Deletes the runs of before an instant, oldest first and one after the other, but pinned baselines and the newest of
 * each project, suite and branch. Answers how many this process deleted, or would: another may do the same at the same
 * time.
 */
export const expireRuns = async (
  { reader, commit }: Pick<OpenService, 'reader' | 'commit'>,
  { before, signal, viewer = SYSTEM, dryRun = false }: Expiring,
): Promise<number> => {
  let deleted = 0
  let after: Position | null = null
  for (;;) {
    const page: AgedRun[] = await reader.read(listRunsBefore(viewer, before, { after, limit: A_PAGE }))
    for (const found of page) {
      // Reads of a file are answered at once: without a turn of everybody else between two runs, those of a page would
      // be one.
      await turn()
      if (signal.aborted) return deleted
      // Only saves the lock for those that stay: the command asks again.
      const { newer, baseline } = await reader.readAll({
        newer: findNewerRun(found, found.created_at),
        baseline: findBaselineOfRun(found.id),
      })
      if (!newer || baseline) continue
      if (dryRun || (await commit('expireRun', viewer, { found, before })).deleted) deleted++
    }
    const last = page.at(-1)
    if (last === undefined || page.length < A_PAGE) return deleted
    after = last
  }
}
