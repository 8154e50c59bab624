import { z } from 'zod'
import { any, mapped, sql, statement } from '../sql.ts'
import type { Query, Statement } from '../storage.ts'

// An erasure deletes rows in its commits. Afterwards the files are wiped, because deleted bytes stay in them for a while.
// Until then, also after a crash between the two, each of the commits is in the table `pending_wipes`.

const Pending = z.object({ id: z.string() })

/** The commits of erasures that no wipe of the files has followed. */
export const listPendingWipes: Query<string[]> = mapped(
  any(sql.type(Pending)`SELECT id FROM pending_wipes ORDER BY id`),
  (rows) => rows.map(({ id }) => id),
)

/**
 * Notes a commit of an erasure. `after` distinguishes the commits of one erasure: a wipe for another erasure may run between
 * two of them, and must not count for the later one.
 */
export const notePendingWipe = (erasure_id: string, after: number): Statement => {
  const id = `${erasure_id}/${after}`
  return statement`INSERT INTO pending_wipes (id) VALUES (${id}) ON CONFLICT (id) DO NOTHING`
}

/** Forgets the commits that were pending when a wipe began. Later ones may have written to the files since. */
export const forgetPendingWipes = (ids: readonly string[]): Statement =>
  statement`DELETE FROM pending_wipes WHERE id IN (${sql.join([...ids], sql.fragment`, `)})`
