import { z } from 'zod'
import { any, maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'

/** A short salted digest of the secret of a static token, and the last record before the token had this secret. */
const KnownToken = z.object({
  id: z.string(),
  salt: z.instanceof(Buffer),
  digest: z.instanceof(Buffer),
  since_seq: z.number(),
})
export type KnownToken = z.infer<typeof KnownToken>

const COLUMNS = sql.fragment`id, salt, digest, since_seq`

/** What is known of the secrets of static tokens. */
export const listStaticTokens: Query<KnownToken[]> = any(
  sql.type(KnownToken)`SELECT ${COLUMNS} FROM static_tokens ORDER BY id`,
)

/** What is known of the secret of one static token; null for an unknown id. */
export const findStaticToken = (id: string): Query<KnownToken | null> =>
  maybeOne(sql.type(KnownToken)`SELECT ${COLUMNS} FROM static_tokens WHERE id = ${id}`)
