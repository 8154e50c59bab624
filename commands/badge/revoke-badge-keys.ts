import { includes, findLevel } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { countBadgeKeys } from '../../queries/sets/badge-keys.ts'
import type { Suite } from '../../queries/sets/baselines.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { badgeKeysRevoked } from './events.ts'

/** Revokes all badge keys of a suite. Refuses: not_found (no manage level, reported like a missing set; or no key). */
export const revokeBadgeKeys = (viewer: Viewer, { project, suite }: Suite) =>
  command(viewer, {
    facts: { level: findLevel(viewer, { project, suite }), keys: countBadgeKeys({ project, suite }) },

    decide({ level, keys }) {
      if (!includes(level, 'manage')) throw new Refused('not_found', 'run set not found')
      if (keys === 0) throw new Refused('not_found', 'badge key not found')
      return [badgeKeysRevoked({ project, suite })]
    },
  })
