import { findBaseline, type Suite } from '../../queries/sets/baselines.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { includes, findLevel } from '../../queries/access/levels.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { baselineUnpinned } from './events.ts'

/** Unpins the suite's baseline. Refuses: forbidden (no upload level), not_found (nothing is pinned). */
export const unpinBaseline = (viewer: Viewer, { project, suite }: Suite) =>
  command(viewer, {
    facts: { level: findLevel(viewer, { project, suite }), baseline: findBaseline(viewer, { project, suite }) },

    decide({ level, baseline }) {
      if (!includes(level, 'upload'))
        throw new Refused('forbidden', 'this run set is restricted; you need an upload grant on it')
      if (!baseline) throw new Refused('not_found', 'baseline not found')
      return [baselineUnpinned({ cause: 'request', project, suite })]
    },
  })
