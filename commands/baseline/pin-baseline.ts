import { findBaseline, type Suite } from '../../queries/sets/baselines.ts'
import { findRun } from '../../queries/runs/run.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findLevel } from '../../queries/access/levels.ts'
import { command } from '../command.ts'
import { refuseDotNames } from '../dot-names.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { baselinePinned } from './events.ts'

/**
 * Pins a run that the viewer can see as the suite's baseline. Refuses: unprocessable (a dot name), forbidden (no upload
 * level), not_found (no such run in this suite).
 */
export const pinBaseline = (viewer: Viewer, { project, suite, run_id }: Suite & { readonly run_id: string }) =>
  command(viewer, {
    facts: {
      level: findLevel(viewer, { project, suite }),
      run: findRun(viewer, run_id),
      baseline: findBaseline(viewer, { project, suite }),
    },

    decide({ level, run, baseline }) {
      refuseDotNames({ project, suite })
      refuseWithoutUpload(level)
      if (run?.project !== project || run.suite !== suite) throw new Refused('not_found', 'run not found')
      return baseline?.run_id === run.id ? [] : [baselinePinned({ project, run_id: run.id, suite })]
    },
  })
