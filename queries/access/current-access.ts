import { z } from 'zod'
import { constant, mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { CEILING, LIMITED_CEILING, lowerOf, reaches, ROLES, SCOPES, type Scope, type Viewer } from './viewer.ts'

/**
 * What a caller may do now. This may differ from what was allowed when the request arrived. For an account, a `scope`
 * of null means that the account or its credential is no longer valid.
 */
export type CurrentAccess = { readonly scope: Scope | null; readonly sees_all: boolean }

const LOST: CurrentAccess = { scope: null, sees_all: false }

const AccessNow = z.object({ role: z.enum(ROLES), key_scope: z.enum(SCOPES).nullable() })

/**
 * The current access of a viewer: for an account, it is read from the rows of the account and of the session or key
 * that the request presented. A session that expires while its request waits still counts: it was valid when the
 * request arrived.
 */
export const findCurrentAccess = ({
  actor: { kind, user_id, credential_id, scope },
  sees_all,
  limit,
}: Viewer): Query<CurrentAccess> => {
  if (user_id === null) return constant({ scope, sees_all })
  const presented =
    kind === 'apikey'
      ? sql.fragment`(SELECT id, user_id, scope FROM api_keys WHERE id = ${credential_id} AND NOT revoked)`
      : sql.fragment`(SELECT id, user_id, NULL AS scope FROM sessions WHERE id = ${credential_id})`
  const row = maybeOne(sql.type(AccessNow)`
    SELECT users.role, presented.scope AS key_scope
    FROM ${presented} presented JOIN users ON users.id = presented.user_id
    WHERE users.id = ${user_id} AND NOT users.disabled`)
  return mapped(row, (found) =>
    found
      ? {
          scope: lowerOf(lowerOf(CEILING[found.role], found.key_scope ?? 'admin'), limit ? LIMITED_CEILING : 'admin'),
          sees_all: found.role === 'admin',
        }
      : LOST,
  )
}

/**
 * Whether the account and credential of a viewer still allow what they allowed when a response was started: a slow
 * client may take hours to receive one.
 */
export const isStillAllowed = async (reader: Reader, viewer: Viewer): Promise<boolean> => {
  const { scope, sees_all } = await reader.read(findCurrentAccess(viewer))
  const isAllowed =
    viewer.actor.user_id === null || (scope !== null && (viewer.needed === null || reaches(scope, viewer.needed)))
  return isAllowed && (sees_all || !(viewer.sees_all || viewer.limit?.all))
}
