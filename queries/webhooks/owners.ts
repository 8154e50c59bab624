import { z } from 'zod'
import { mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { CEILING, reaches, ROLES, type Viewer } from '../access/viewer.ts'

const Owner = z.object({ role: z.enum(ROLES) })

/**
 * The viewer that an account is now, so that a webhook sends what its owner may see; null if the account was disabled or
 * deleted, or sees no runs any more.
 */
export const findOwner = (user_id: string): Query<Viewer | null> =>
  mapped(maybeOne(sql.type(Owner)`SELECT role FROM users WHERE id = ${user_id} AND NOT disabled`), (row) =>
    row && reaches(CEILING[row.role], 'read')
      ? {
          actor: { address: null, credential_id: null, kind: 'system', scope: CEILING[row.role], user_id },
          request_id: null,
          sees_all: row.role === 'admin',
          needed: null,
        }
      : null,
  )
