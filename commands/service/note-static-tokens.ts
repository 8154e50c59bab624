import type { Viewer } from '../../queries/access/viewer.ts'
import { sql, statement } from '../../storage/sql.ts'
import { command } from '../command.ts'

/** A static token whose secret is new. `salt` and `digest` are hex. */
type NewToken = { readonly id: string; readonly salt: string; readonly digest: string }

/**
 * Stores that static tokens have new secrets from the next record on. It records no event: the tokens are a part of the
 * configuration, whose digest is in `Started`.
 */
export const noteStaticTokens = (viewer: Viewer, { tokens }: { readonly tokens: readonly NewToken[] }) =>
  command(viewer, {
    facts: {},
    decide: () => [],
    statements: tokens.map(
      ({ id, salt, digest }) => statement`
        INSERT INTO static_tokens (id, salt, digest, since_seq)
        VALUES (${id}, ${sql.binary(Buffer.from(salt, 'hex'))}, ${sql.binary(Buffer.from(digest, 'hex'))},
          coalesce((SELECT max(size) FROM log_head), 0))
        ON CONFLICT (id) DO UPDATE SET salt = excluded.salt, digest = excluded.digest, since_seq = excluded.since_seq`,
    ),
  })
