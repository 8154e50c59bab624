import type { Viewer } from '../../queries/access/viewer.ts'
import { sql, statement } from '../../storage/sql.ts'
import { command } from '../command.ts'

/** A static token whose secret is new. `replaces` is the salt of the earlier secret; null for a new id. All are hex. */
type NewToken = {
  readonly id: string
  readonly salt: string
  readonly digest: string
  readonly replaces: string | null
}

const bytes = (hex: string | null) => sql.binary(Buffer.from(hex ?? '', 'hex'))

/**
 * Stores that static tokens have new secrets from the next record on. A token that another replica has stored since it was
 * read stays as it is. It records no event: the tokens are a part of the configuration, whose digest is in `Started`.
 */
export const noteStaticTokens = (viewer: Viewer, { tokens }: { readonly tokens: readonly NewToken[] }) =>
  command(viewer, {
    facts: {},
    decide: () => [],
    statements: tokens.map(
      ({ id, salt, digest, replaces }) => statement`
        INSERT INTO static_tokens (id, salt, digest, since_seq)
        VALUES (${id}, ${bytes(salt)}, ${bytes(digest)}, coalesce((SELECT max(size) FROM log_head), 0))
        ON CONFLICT (id) DO UPDATE SET salt = excluded.salt, digest = excluded.digest, since_seq = excluded.since_seq
        WHERE static_tokens.salt = ${bytes(replaces)}`,
    ),
  })
