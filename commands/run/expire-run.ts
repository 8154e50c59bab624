import { findBaselineOfRun } from '../../queries/sets/baselines.ts'
import { findAgedRun, findNewerRun } from '../../queries/runs/expired-runs.ts'
import type { AgedRun } from '../../queries/runs/expired-runs.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { runDeleted } from './events.ts'

/**
 * A run as it was when it was found to be too old: `before` is the first instant, in epoch milliseconds, that is not.
 */
export type Expiry = { readonly found: AgedRun; readonly before: number }

/**
 * Deletes a run that is older than it may get, unless it is a pinned baseline or the newest of its project, suite and
 * branch. Silent when it went already or is another one by now. Answers whether it was deleted.
 */
export const expireRun = (viewer: Viewer, { found, before }: Expiry) =>
  command(viewer, {
    facts: {
      run: findAgedRun(viewer, found.id),
      newer: findNewerRun(found, found.created_at),
      baseline: findBaselineOfRun(found.id),
    },

    decide({ run, newer, baseline }) {
      // Another document under the same id may be of another group, which was not asked for here.
      if (run?.run_no !== found.run_no || run.created_at >= before) return []
      if (!newer || baseline) return []
      const { document_sha256, project, run_no, suite } = run
      return [runDeleted(run.id, { cause: 'retention', document_sha256, project, run_no, suite })]
    },

    answer: (recorded) => ({ deleted: recorded.length > 0 }),
  })
