import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { signedOut } from './events.ts'

/**
 * Ends the session of the request; a credential of another kind does not change. Refuses: unauthenticated (the session
 * has ended already).
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
