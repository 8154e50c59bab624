import type { Viewer } from '../../queries/access/viewer.ts'
import { statement } from '../../storage/sql.ts'
import { command } from '../command.ts'
import { reviewerOf } from './refuse-item.ts'

/** How long an item is kept for a reviewer. */
export const LEASE_MS = 15 * 60_000
/** Items that one reviewer gets at once, at most. */
export const MAX_LEASED = 5

/**
 * Keeps items for the viewer, of these in their order as many as are wanted: those that have fewer labels and leases of others than they
 * need. Without a history: a lease saves work, and the lock decides about a label.
 */
export const leaseItems = (
  viewer: Viewer,
  { queue_id, ns, at }: { readonly queue_id: string; readonly ns: readonly number[]; readonly at: number },
) => {
  const { user_id } = viewer.actor
  return command(viewer, {
    facts: {},
    decide() {
      reviewerOf(viewer)
      return []
    },
    statements: [
      statement`DELETE FROM review_leases WHERE queue_id = ${queue_id} AND (until <= ${at} OR user_id = ${user_id})`,
      ...ns.map(
        (n) => statement`
          INSERT INTO review_leases (queue_id, n, user_id, until)
          SELECT ${queue_id}, ${n}, ${user_id}, ${at + LEASE_MS} FROM review_items JOIN review_queues ON review_queues.queue_id = review_items.queue_id
          WHERE review_items.queue_id = ${queue_id} AND review_items.n = ${n}
            AND review_items.given + (
              SELECT count(*) FROM review_leases held WHERE held.queue_id = ${queue_id} AND held.n = ${n}) < review_queues.per_item`,
      ),
    ],
  })
}
