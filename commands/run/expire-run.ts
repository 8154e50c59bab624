import { findBaselineOfRun } from '../../queries/sets/baselines.ts'
import { findHoldOfRun } from '../../queries/runs/holds.ts'
import { isInOpenQueue } from '../../queries/reviews/queue-state.ts'
import { findAgedRun, findNewerRun, type AgedRun } from '../../queries/runs/expired-runs.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { runDeleted } from './events.ts'

/**
 * A run at the time when it was found to be too old. `before` (epoch milliseconds) is the first instant that is not too
 * old.
 */
export type Expiry = { readonly candidate: AgedRun; readonly before: number }

/**
 * Deletes a run that is older than the limit, unless it is a pinned baseline, under legal hold, in an open review queue, or the newest run
 * of its project, suite and branch. Records nothing if the run is deleted or replaced already. Returns whether it was deleted.
 */
export const expireRun = (viewer: Viewer, { candidate, before }: Expiry) =>
  command(viewer, {
    facts: {
      run: findAgedRun(viewer, candidate.id),
      newer: findNewerRun(candidate, candidate.created_at),
      baseline: findBaselineOfRun(candidate.id),
      hold: findHoldOfRun(candidate.id),
      inReview: isInOpenQueue(candidate.run_no),
    },

    decide({ run, newer, baseline, hold, inReview }) {
      // If the id has another document now, its project, suite or branch may differ from those of `candidate`. Then `newer`
      // says nothing about it.
      if (run?.run_no !== candidate.run_no || run.created_at >= before) return []
      if (!newer || baseline || hold || inReview) return []
      const { document_sha256, project, run_no, suite } = run
      return [runDeleted(run.id, { cause: 'retention', document_sha256, project, run_no, suite })]
    },

    result: (recorded) => ({ deleted: recorded.length > 0 }),
  })
