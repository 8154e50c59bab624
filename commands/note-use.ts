import type { Viewer } from '../queries/access/viewer.ts'
import { statement } from '../storage/sql.ts'
import { command } from './command.ts'

/** Stores when a key or a session was last used. It records no event, because the last use has no history. */
export const noteUse = (
  viewer: Viewer,
  { credential_id, at }: { readonly credential_id: string; readonly at: number },
) =>
  command(viewer, {
    facts: {},
    decide: () => [],
    statements: [
      // Nothing is stored for a credential that was deleted concurrently. A clock that was set back does not lower the
      // time.
      statement`
        INSERT INTO credential_uses (credential_id, last_used_at)
        SELECT used.id, ${at} FROM (
          SELECT id FROM api_keys WHERE id = ${credential_id}
          UNION SELECT id FROM sessions WHERE id = ${credential_id}
        ) used WHERE TRUE
        ON CONFLICT (credential_id) DO UPDATE SET last_used_at = excluded.last_used_at WHERE excluded.last_used_at > credential_uses.last_used_at`,
    ],
  })
