import { findGrantedLevel } from '../../queries/access/access.ts'
import type { Grantee } from '../../queries/access/access.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { includes, levelOn } from '../../queries/access/visible.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { accessRevoked } from './events.ts'

/**
 * Takes a user's grant at this very scope back. Refuses: not_found (no manage level, told like a set that is not there;
 * then no such grant).
 */
export const revokeAccess = (viewer: Viewer, { project, suite, user_id }: Grantee) =>
  command(viewer, {
    facts: { mine: levelOn(viewer, { project, suite }), granted: findGrantedLevel({ project, suite, user_id }) },

    decide({ mine, granted }) {
      if (!includes(mine, 'manage')) throw new Refused('not_found', 'run set not found')
      if (granted === null) throw new Refused('not_found', 'grant not found')
      return [accessRevoked({ cause: 'request', project, suite, user_id })]
    },
  })
