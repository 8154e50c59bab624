import type { WithdrawReason } from '../../domain/review/final.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findItemFor, listLabelsOfItem } from '../../queries/reviews/queue-state.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { labelWithdrawn } from './events.ts'
import { refuseClosed, reviewerOf } from './refuse-item.ts'

export const LABEL_NOT_FOUND = 'label not found'

/**
 * Withdraws an own label of an open queue; it stays in exports, and the item is open again. `queue_id` and `n` are those of the label.
 * Records nothing if it was withdrawn. Refuses: forbidden (no account), not_found (not an own label), conflict (closed, adjudicated, or
 * replaced by a later label).
 */
export const withdrawLabel = (
  viewer: Viewer,
  {
    label_id,
    queue_id,
    n,
    reason,
  }: { readonly label_id: string; readonly queue_id: string; readonly n: number; readonly reason: WithdrawReason },
) =>
  command(viewer, {
    facts: { item: findItemFor(viewer.actor.user_id, queue_id, n), labels: listLabelsOfItem(queue_id, n) },

    decide({ item, labels }) {
      const user_id = reviewerOf(viewer)
      const label = labels.find((each) => each.label_id === label_id && each.reviewer === user_id)
      if (!item || !label) throw new Refused('not_found', LABEL_NOT_FOUND)
      if (label.withdrawn_at !== null) return []
      refuseClosed(item)
      if (labels.some(({ adjudicates, standing }) => adjudicates === 1 && standing === 1))
        throw new Refused('conflict', 'this item was adjudicated')
      if (label.standing === 0) throw new Refused('conflict', 'a later label of yours replaced this one')
      return [labelWithdrawn({ label_id, n, queue_id, reason })]
    },
  })
