import { findLevel, includes } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findQueueState } from '../../queries/reviews/queue-state.ts'
import type { Suite } from '../../queries/sets/baselines.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { reviewQueueClosed } from './events.ts'

/**
 * Closes a queue; its open items stay without a final label. Records nothing if it is closed. Refuses: not_found, forbidden (neither
 * the opener nor a manage level).
 */
export const closeReviewQueue = (
  viewer: Viewer,
  { queue_id, set }: { readonly queue_id: string; readonly set: Suite },
) =>
  command(viewer, {
    facts: { level: findLevel(viewer, set), queue: findQueueState(viewer, queue_id) },

    decide({ level, queue }) {
      if (!queue) throw new Refused('not_found', 'review queue not found')
      const { user_id, credential_id } = viewer.actor
      const isOpener = queue.opened_by !== null && queue.opened_by === (user_id ?? credential_id)
      if (!includes(level, 'manage') && !(isOpener && includes(level, 'upload')))
        throw new Refused('forbidden', 'only those who opened a queue, or with a manage grant, may close it')
      return queue.closed_at === null ? [reviewQueueClosed({ queue_id, ...set, cause: 'request' })] : []
    },
  })
