import { includes, findLevel } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { countBadgeKeys, MAX_BADGE_KEYS } from '../../queries/sets/badge-keys.ts'
import type { Suite } from '../../queries/sets/baselines.ts'
import { findSet } from '../../queries/sets/suite-set.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { badgeKeyMinted } from './events.ts'

/**
 * Makes a key that opens the image of a suite for everybody who has it. Refuses: not_found (no such suite, or no manage
 * level), conflict (the suite has the maximum number of keys).
 */
export const mintBadgeKey = (viewer: Viewer, { key_sha256, ...suite }: Suite & { readonly key_sha256: string }) =>
  command(viewer, {
    facts: { level: findLevel(viewer, suite), set: findSet(viewer, suite), keys: countBadgeKeys(suite) },

    decide({ level, set, keys }) {
      if (set === null || !includes(level, 'manage')) throw new Refused('not_found', 'run set not found')
      if (keys >= MAX_BADGE_KEYS)
        throw new Refused('conflict', `a suite has at most ${MAX_BADGE_KEYS} badge keys: revoke them first`)
      return [badgeKeyMinted({ key_sha256, project: suite.project, suite: suite.suite })]
    },
  })
