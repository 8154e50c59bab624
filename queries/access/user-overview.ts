import { z } from 'zod'
import { rfc3339 } from '../../domain/wire.ts'
import { any, constant, mapped, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { IDENTITY_PARTS, withIdentities } from './identities.ts'
import { User, userView, UserView } from './users.ts'
import type { Viewer } from './viewer.ts'

const time = z.number().nullable()

const Row = User.extend({
  ...IDENTITY_PARTS.shape,
  live_keys: z.number(),
  live_sessions: z.number(),
  grants: z.number(),
  recorded_at: time,
  key_used_at: time,
  session_used_at: time,
})

/**
 * An account with what it may use: its keys that are not revoked, its open sessions, its grants. `last_seen_at` is its
 * last recorded action or the last use of one of its credentials; null if there is none.
 */
export const UserOverview = UserView.extend({
  live_keys: z.number().int(),
  live_sessions: z.number().int(),
  grants: z.number().int(),
  last_seen_at: z.string().nullable(),
}).meta({ id: 'UserOverview' })
export type UserOverview = z.infer<typeof UserOverview>

/**
 * Every account with what it may use at a time, oldest first. The number of grants reveals that run sets exist, so only
 * viewers who see every set get rows.
 */
export const listUserOverviews = ({ sees_all }: Viewer, at: number): Query<UserOverview[]> => {
  if (!sees_all) return constant([])
  const rows = any(sql.type(Row)`
    SELECT users.id, coalesce(principals.label, users.id) AS username, users.role, users.disabled, users.has_password, users.service, users.created_at,
      (SELECT count(*) FROM api_keys k WHERE k.user_id = users.id AND NOT k.revoked AND (k.expires_at IS NULL OR k.expires_at > ${at})) AS live_keys,
      (SELECT count(*) FROM sessions s WHERE s.user_id = users.id AND s.expires_at > ${at}) AS live_sessions,
      (SELECT count(*) FROM grants g WHERE g.user_id = users.id) AS grants,
      (SELECT e.recorded_at FROM events e WHERE e.seq = (SELECT max(b.seq) FROM event_bodies b WHERE b.actor_user = users.id)) AS recorded_at,
      (SELECT max(u.last_used_at) FROM api_keys k JOIN credential_uses u ON u.credential_id = k.id WHERE k.user_id = users.id) AS key_used_at,
      (SELECT max(u.last_used_at) FROM sessions s JOIN credential_uses u ON u.credential_id = s.id WHERE s.user_id = users.id) AS session_used_at,
      ${IDENTITY_PARTS.columns}
    FROM users LEFT JOIN principals ON principals.id = users.id ${IDENTITY_PARTS.join}
    ORDER BY users.created_at, users.id, ${IDENTITY_PARTS.order}`)
  return mapped(rows, (found) =>
    withIdentities(found).map(({ row, identities }) => {
      const { live_keys, live_sessions, grants, recorded_at, key_used_at, session_used_at } = row
      const seen = Math.max(...[recorded_at, key_used_at, session_used_at].map((value) => value ?? -Infinity))
      return {
        ...userView(row, identities),
        live_keys,
        live_sessions,
        grants,
        last_seen_at: Number.isFinite(seen) ? rfc3339(seen) : null,
      }
    }),
  )
}
