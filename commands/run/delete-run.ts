import { findBaselineOfRun } from '../../queries/sets/baselines.ts'
import { findHoldOfRun } from '../../queries/runs/holds.ts'
import { findRun } from '../../queries/runs/run.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { baselineUnpinned } from '../baseline/events.ts'
import { command } from '../command.ts'
import { underHold } from '../hold/under-hold.ts'
import { Refused } from '../refused.ts'
import { runDeleted } from './events.ts'

/**
 * Deletes a run that the viewer can see, with its document and a baseline pinned to it. Refuses: not_found,
 * conflict (the run is under legal hold).
 */
export const deleteRun = (viewer: Viewer, { run_id }: { readonly run_id: string }) =>
  command(viewer, {
    facts: { run: findRun(viewer, run_id), baseline: findBaselineOfRun(run_id), hold: findHoldOfRun(run_id) },

    decide({ run, baseline, hold }) {
      if (!run) throw new Refused('not_found', 'run not found')
      if (hold) throw underHold(hold)
      const { document_sha256, project, run_no, suite } = run
      return [
        ...(baseline ? [baselineUnpinned({ cause: 'run_deleted', ...baseline })] : []),
        runDeleted(run.id, { cause: 'request', document_sha256, project, run_no, suite }),
      ]
    },
  })
