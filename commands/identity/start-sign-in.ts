import type { SsoTransaction } from '../../queries/access/identities.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { statement } from '../../storage/sql.ts'
import { command } from '../command.ts'
import { deleteExpired } from './events.ts'

/** `at` is the present time in epoch milliseconds. */
type Started = SsoTransaction & { readonly id_hash: string; readonly at: number }

/**
 * Stores a sign-in through an identity provider until its browser returns. It records no event: most of these sign-ins
 * are finished a minute later, and that is recorded. Also deletes expired ones, a limited number.
 */
export const startSignIn = (
  viewer: Viewer,
  { id_hash, at, provider, return_to, nonce, code_verifier, request_id, expires_at }: Started,
) =>
  command(viewer, {
    facts: {},
    decide: () => [],
    statements: [
      deleteExpired('sso_transactions', at),
      statement`
        INSERT INTO sso_transactions (id_hash, provider, return_to, nonce, code_verifier, request_id, expires_at)
        VALUES (${id_hash}, ${provider}, ${return_to}, ${nonce}, ${code_verifier}, ${request_id}, ${expires_at})`,
    ],
  })
