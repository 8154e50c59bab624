import { findLevel, includes } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findQueueState, isRestricted, listAccountsNamed, listQueuePeople } from '../../queries/reviews/queue-state.ts'
import type { Suite } from '../../queries/sets/baselines.ts'
import { command } from '../command.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { reviewersChanged } from './events.ts'
import { accountsOf, idsOf, peopleChange, refuseAdding, type NewPerson } from './people.ts'
import { refuseClosed } from './refuse-item.ts'

/**
 * Adds people to an open queue and removes others, by their ids or names. Labels of those who are removed stay. `set` is that of the
 * queue. Refuses: not_found, forbidden (neither the opener nor a manage level; see `refuseAdding`), conflict, unprocessable.
 */
export const changeReviewers = (
  viewer: Viewer,
  {
    queue_id,
    set,
    add,
    remove,
  }: {
    readonly queue_id: string
    readonly set: Suite
    readonly add: readonly NewPerson[]
    readonly remove: readonly string[]
  },
) =>
  command(viewer, {
    facts: {
      level: findLevel(viewer, set),
      queue: findQueueState(viewer, queue_id),
      people: listQueuePeople(queue_id),
      accounts: listAccountsNamed([...add.map(({ name }) => name), ...remove]),
      restricted: isRestricted(set),
    },

    decide({ level, queue, people, accounts, restricted }) {
      if (!queue) throw new Refused('not_found', 'review queue not found')
      refuseWithoutUpload(level)
      if (!includes(level, 'manage') && queue.opened_by !== viewer.actor.user_id)
        throw new Refused('forbidden', 'only those who opened a queue, or with a manage grant, may change its people')
      refuseClosed(queue)
      const added = accountsOf(add, accounts)
      refuseAdding(viewer, added, { level, isRestricted: restricted, isOpened: true })
      const change = peopleChange(queue_id, people, added, idsOf(remove, people, accounts))
      return change ? [reviewersChanged(change)] : []
    },
  })
