import { findBaseline, type Suite } from '../../queries/sets/baselines.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findLevel } from '../../queries/access/levels.ts'
import { command } from '../command.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { baselineUnpinned } from './events.ts'

/** Unpins the suite's baseline. Refuses: forbidden (no upload level), not_found (nothing is pinned). */
export const unpinBaseline = (viewer: Viewer, { project, suite }: Suite) =>
  command(viewer, {
    facts: { level: findLevel(viewer, { project, suite }), baseline: findBaseline(viewer, { project, suite }) },

    decide({ level, baseline }) {
      refuseWithoutUpload(level)
      if (!baseline) throw new Refused('not_found', 'baseline not found')
      return [baselineUnpinned({ cause: 'request', project, suite })]
    },
  })
