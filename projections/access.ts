import type { AccessGranted, SetRestricted } from '../commands/access/events.ts'
import { scopeKey } from '../domain/sets.ts'
import type { Recorded } from '../storage/command.ts'
import { statement } from '../storage/sql.ts'
import { attachedRecord } from './attached.ts'
import { projection } from './projection.ts'

/** Which projects and suites are restricted, and what users are granted on them. */
export const access = projection(
  { name: 'access', version: 1, tables: ['restrictions', 'grants'] },
  {
    SetRestricted: ({ data, recorded_at, actor }) => [
      statement`
        INSERT INTO restrictions (scope_key, project, suite, created_at, created_by)
        VALUES (${scopeKey(data)}, ${data.project}, ${data.suite}, ${recorded_at}, ${actorId(actor)})`,
    ],
    RestrictionLifted: ({ data }) => [statement`DELETE FROM restrictions WHERE scope_key = ${scopeKey(data)}`],
    // What a provider or an invite gave has no author: the account itself acted.
    // A changed level does not alter who created the grant and when, so its position in lists does not change.
    AccessGranted: ({ data, recorded_at, actor }) => [
      statement`
        INSERT INTO grants (scope_key, user_id, project, suite, level, created_at, created_by, managed_by)
        VALUES (${scopeKey(data)}, ${data.user_id}, ${data.project}, ${data.suite}, ${data.level}, ${recorded_at},
          ${data.provider === undefined && data.link_id === undefined ? actorId(actor) : null}, ${data.provider ?? null})
        ON CONFLICT (scope_key, user_id) DO UPDATE SET level = excluded.level, managed_by = excluded.managed_by`,
    ],
    AccessRevoked: ({ data }) => [
      statement`DELETE FROM grants WHERE scope_key = ${scopeKey(data)} AND user_id = ${data.user_id}`,
    ],
    EventErased: (recorded) => {
      const { kept } = recorded.data
      if (kept === null) return []
      // A later restriction or grant of the same scope has another time, and keeps its author.
      const { type, recorded_at } = attachedRecord(recorded)
      if (type === 'SetRestricted') {
        const scope = scopeKey(kept.data as SetRestricted['data'])
        return [
          statement`UPDATE restrictions SET created_by = NULL WHERE scope_key = ${scope} AND created_at = ${recorded_at}`,
        ]
      }
      if (type !== 'AccessGranted') return []
      const granted = kept.data as AccessGranted['data']
      return [
        statement`
          UPDATE grants SET created_by = NULL
          WHERE scope_key = ${scopeKey(granted)} AND user_id = ${granted.user_id}
            AND created_at = ${recorded_at}`,
      ]
    },
  },
)

/** The id under which `principals` has the actor's label; null for an unknown actor. */
const actorId = ({ user_id, credential_id }: Recorded['actor']): string | null => user_id ?? credential_id
