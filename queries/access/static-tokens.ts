import { z } from 'zod'
import { any, mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'

const KnownToken = z.object({ id: z.string(), salt: z.instanceof(Buffer), digest: z.instanceof(Buffer) })

/** What is known of the secrets of static tokens: a short salted digest of each, which shows whether it was changed. */
export const listStaticTokens: Query<Array<z.infer<typeof KnownToken>>> = any(
  sql.type(KnownToken)`SELECT id, salt, digest FROM static_tokens ORDER BY id`,
)

/** The last record before the static token of an id had its present secret; null for an unknown id. */
export const findTokenStart = (id: string): Query<number | null> =>
  mapped(
    maybeOne(sql.type(z.object({ since_seq: z.number() }))`SELECT since_seq FROM static_tokens WHERE id = ${id}`),
    (found) => found?.since_seq ?? null,
  )
