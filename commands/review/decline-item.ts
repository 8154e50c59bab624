import type { DeclineReason } from '../../domain/review/final.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findItemFor, listLabelsOfItem } from '../../queries/reviews/queue-state.ts'
import { statement } from '../../storage/sql.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { itemDeclined } from './events.ts'
import { openItem, reviewerOf } from './refuse-item.ts'

/**
 * Declines an item: it goes to another person, and never back. Records nothing if it was declined. Refuses: forbidden (no account, an
 * adjudicator), not_found, conflict (closed, or labelled by the viewer).
 */
export const declineItem = (
  viewer: Viewer,
  { queue_id, n, reason }: { readonly queue_id: string; readonly n: number; readonly reason: DeclineReason },
) => {
  const { user_id } = viewer.actor
  return command(viewer, {
    facts: { item: findItemFor(user_id, queue_id, n), labels: listLabelsOfItem(queue_id, n) },

    decide({ item: found, labels }) {
      reviewerOf(viewer)
      const item = openItem(found)
      if (item.role === 'adjudicator')
        throw new Refused('forbidden', 'you adjudicate in this queue, so you decline nothing')
      if (item.declined) return []
      if (labels.some(({ person, standing }) => person === item.person && standing === 1))
        throw new Refused('conflict', 'you labelled this item')
      return [itemDeclined({ n, person: item.person, queue_id, reason })]
    },
    statements: [
      statement`DELETE FROM review_leases WHERE queue_id = ${queue_id} AND n = ${n} AND user_id = ${user_id}`,
    ],
  })
}
