import type { Viewer } from '../../queries/access/viewer.ts'
import type { ItemForPerson } from '../../queries/reviews/queue-state.ts'
import { ownAccount } from '../own-account.ts'
import { Refused } from '../refused.ts'

/** Why static tokens and anonymous callers do not label: two of them cannot be kept apart. */
const NEEDS_ACCOUNT = 'labels need an account'

/** The account that labels. Refuses: forbidden. A limited key is refused too: items are of no set that it could be limited to. */
export const reviewerOf = (viewer: Viewer): string => {
  if (viewer.actor.user_id === null) throw new Refused('forbidden', NEEDS_ACCOUNT)
  return ownAccount(viewer)
}

export const refuseClosed = ({ closed_at }: { readonly closed_at: number | null }): void => {
  if (closed_at !== null) throw new Refused('conflict', 'the queue is closed')
}

/** An item of a queue in which the viewer is listed, that is open. Refuses: not_found, conflict. */
export const openItem = (item: ItemForPerson | null): ItemForPerson => {
  if (!item) throw new Refused('not_found', ITEM_NOT_FOUND)
  refuseClosed(item)
  if (!item.has_run) throw new Refused('conflict', 'the run of this item was deleted')
  return item
}

export const ITEM_NOT_FOUND = 'review item not found'
