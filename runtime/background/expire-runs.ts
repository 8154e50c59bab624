import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { findBaselineOfRun } from '../../queries/sets/baselines.ts'
import { isInOpenQueue } from '../../queries/reviews/queue-state.ts'
import { findHoldOfRun } from '../../queries/runs/holds.ts'
import { findNewerRun, listRunsBefore, type AgedRun } from '../../queries/runs/expired-runs.ts'
import type { Position } from '../../queries/runs/run-walk.ts'
import { SYSTEM, type Viewer } from '../../queries/access/viewer.ts'
import type { OpenService } from '../services.ts'

/** The maximum number of old runs that one read lists. */
const PAGE_SIZE = 50

export type Expiring = {
  /** Epoch milliseconds: earlier runs may be deleted. */
  readonly before: number
  readonly signal: AbortSignal
  /** Runs that this viewer cannot see are not deleted. By default the viewer is the service itself. */
  readonly viewer?: Viewer
  /** Only counts the runs that would be deleted. */
  readonly dryRun?: boolean
}

/**
 * Deletes runs from before an instant, the oldest first, except pinned baselines, runs under legal hold and the newest
 * run of each project, suite and branch. Returns how many this process deleted or would delete; other processes may do so concurrently.
 */
export const expireRuns = async (
  { reader, commit }: Pick<OpenService, 'reader' | 'commit'>,
  { before, signal, viewer = SYSTEM, dryRun = false }: Expiring,
): Promise<number> => {
  let deleted = 0
  let after: Position | null = null
  for (;;) {
    const page: AgedRun[] = await reader.read(listRunsBefore(viewer, before, { after, limit: PAGE_SIZE }))
    for (const candidate of page) {
      // Reads of a SQLite file are synchronous: without a pause between two runs, a page would block the event loop.
      await yieldToEventLoop()
      if (signal.aborted) return deleted
      // This check avoids the lock for runs that are not deleted. The command checks again under the lock.
      const { newer, baseline, hold, inReview } = await reader.readAll({
        newer: findNewerRun(candidate, candidate.created_at),
        baseline: findBaselineOfRun(candidate.id),
        hold: findHoldOfRun(candidate.id),
        inReview: isInOpenQueue(candidate.run_no),
      })
      if (!newer || baseline || hold || inReview) continue
      if (dryRun || (await commit.expireRun(viewer, { candidate, before })).deleted) deleted++
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_SIZE) return deleted
    after = last
  }
}
