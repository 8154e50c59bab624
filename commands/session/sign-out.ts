import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { signedOut } from './events.ts'

/**
 * Ends the session that was presented; a credential of another kind stays as it is. Refuses: unauthenticated (it ended
 * already).
 */
export const signOut = (viewer: Viewer, _: object) =>
  command(viewer, {
    facts: {},

    decide() {
      const { kind, credential_id, user_id } = viewer.actor
      return kind === 'session' && credential_id !== null && user_id !== null
        ? [signedOut({ session_id: credential_id, user_id })]
        : []
    },
  })
