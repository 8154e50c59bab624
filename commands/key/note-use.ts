import type { Viewer } from '../../queries/access/viewer.ts'
import { statement } from '../../storage/sql.ts'
import { command } from '../command.ts'

/** Notes when a key was last used. No event: it is nobody's history. */
export const noteUse = (viewer: Viewer, { key_id, at }: { readonly key_id: string; readonly at: number }) =>
  command(viewer, {
    facts: {},
    decide: () => [],
    alongside: [
      // Of a key that went meanwhile nothing is noted; a clock that was set back makes no use earlier.
      statement`
        INSERT INTO credential_uses (credential_id, last_used_at) SELECT id, ${at} FROM api_keys WHERE id = ${key_id}
        ON CONFLICT (credential_id) DO UPDATE SET last_used_at = excluded.last_used_at WHERE excluded.last_used_at > credential_uses.last_used_at`,
    ],
  })
