import { findGrantedLevel, type Grantee } from '../../queries/access/access.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { includes, findLevel } from '../../queries/access/levels.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { accessRevoked } from './events.ts'

/**
 * Revokes a user's grant on exactly this scope. Refuses: not_found (no manage level, reported like a missing set; or no
 * such grant).
 */
export const revokeAccess = (viewer: Viewer, { project, suite, user_id }: Grantee) =>
  command(viewer, {
    facts: { ownLevel: findLevel(viewer, { project, suite }), granted: findGrantedLevel({ project, suite, user_id }) },

    decide({ ownLevel, granted }) {
      if (!includes(ownLevel, 'manage')) throw new Refused('not_found', 'run set not found')
      if (granted === null) throw new Refused('not_found', 'grant not found')
      return [accessRevoked({ cause: 'request', project, suite, user_id })]
    },
  })
