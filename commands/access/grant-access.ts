import { findGrantedLevel, findIsUser, type Grantee } from '../../queries/access/access.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { includes, findLevel, type Level } from '../../queries/access/levels.ts'
import { command } from '../command.ts'
import { refuseDotNames } from '../dot-names.ts'
import { Refused } from '../refused.ts'
import { accessGranted } from './events.ts'

/**
 * Grants a user a level on a project or on one of its suites; the new level replaces an earlier one. Refuses:
 * unprocessable (a dot name), not_found (no manage level, reported like a missing set; or no such user).
 */
export const grantAccess = (viewer: Viewer, { project, suite, user_id, level }: Grantee & { readonly level: Level }) =>
  command(viewer, {
    facts: {
      ownLevel: findLevel(viewer, { project, suite }),
      user: findIsUser(user_id),
      granted: findGrantedLevel({ project, suite, user_id }),
    },

    decide({ ownLevel, user, granted }) {
      refuseDotNames({ project, suite })
      if (!includes(ownLevel, 'manage')) throw new Refused('not_found', 'run set not found')
      if (!user) throw new Refused('not_found', 'user not found')
      return granted === level ? [] : [accessGranted({ level, project, suite, user_id })]
    },
  })
