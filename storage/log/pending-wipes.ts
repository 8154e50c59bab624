import { z } from 'zod'
import { any, mapped, sql, statement } from '../sql.ts'
import type { Query, Statement } from '../storage.ts'

// An erasure deletes rows in its commits. Afterwards the files are wiped, because deleted bytes stay in them for a while.
// Until then, also after a crash between the two, the erasure is in the table `pending_wipes`.

const Pending = z.object({ erasure_id: z.string() })

/** The erasures that no wipe of the files has followed. */
export const listPendingWipes: Query<string[]> = mapped(
  any(sql.type(Pending)`SELECT erasure_id FROM pending_wipes ORDER BY erasure_id`),
  (rows) => rows.map(({ erasure_id }) => erasure_id),
)

export const notePendingWipe = (erasure_id: string): Statement =>
  statement`INSERT INTO pending_wipes (erasure_id) VALUES (${erasure_id}) ON CONFLICT (erasure_id) DO NOTHING`

/** Forgets the erasures that were pending when a wipe began. A later one may have written to the files since. */
export const forgetPendingWipes = (erasure_ids: readonly string[]): Statement =>
  statement`DELETE FROM pending_wipes WHERE erasure_id IN (${sql.join([...erasure_ids], sql.fragment`, `)})`
