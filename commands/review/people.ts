import type { ReviewRole } from '../../domain/review/final.ts'
import { includes, type Level } from '../../queries/access/levels.ts'
import type { NamedAccount, QueuePerson } from '../../queries/reviews/queue-state.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { Refused } from '../refused.ts'
import type { ReviewersChanged } from './events.ts'

/** People of a queue, at most. */
export const MAX_PEOPLE = 50

/** Accounts by their ids or names, and what they do in a queue. */
export type NewPerson = { readonly name: string; readonly role: ReviewRole }

/** Refuses people without an account, disabled ones, and one that is named twice. */
export const accountsOf = (
  people: readonly NewPerson[],
  accounts: readonly NamedAccount[],
): { readonly user_id: string; readonly role: ReviewRole }[] => {
  const found = people.map(({ name, role }) => {
    const account = accounts.find(({ id }) => id === name) ?? accounts.find(({ username }) => username === name)
    if (!account) throw new Refused('unprocessable', `${role}s: there is no account ${name}`)
    if (account.disabled) throw new Refused('unprocessable', `${role}s: the account ${name} is disabled`)
    return { user_id: account.id, role }
  })
  const twice = found.findIndex(({ user_id }, i) => found.findIndex((each) => each.user_id === user_id) < i)
  if (twice >= 0)
    throw new Refused(
      'unprocessable',
      `${people[twice]?.name} is named twice: an account labels the cases of a queue or adjudicates them`,
    )
  return found
}

/** The ids of people who are removed: those of a queue, also if they were removed before or their account is deleted. Refuses: unprocessable. */
export const idsOf = (
  names: readonly string[],
  people: readonly QueuePerson[],
  accounts: readonly NamedAccount[],
): string[] =>
  names.map((name) => {
    const isListed = (id: string) => people.some(({ user_id }) => user_id === id)
    const id = isListed(name) ? name : accounts.find(({ username }) => username === name)?.id
    if (id === undefined || !isListed(id))
      throw new Refused('unprocessable', `remove: ${name} is not one of the people of this queue`)
    return id
  })

/**
 * Who may add people. To be listed shows the items of a restricted set without a grant. An adjudicator sees labels of items that wait,
 * so those who opened a queue may not name themselves.
 */
export const refuseAdding = (
  viewer: Viewer,
  added: ReadonlyArray<{ readonly user_id: string; readonly role: ReviewRole }>,
  {
    level,
    isRestricted,
    isOpened,
  }: { readonly level: Level | null; readonly isRestricted: boolean; readonly isOpened: boolean },
): void => {
  if (includes(level, 'manage') || added.length === 0) return
  if (isRestricted)
    throw new Refused('forbidden', 'this run set is restricted; adding people needs a manage grant on it')
  const adjudicators = added.filter(({ role }) => role === 'adjudicator')
  if (isOpened && adjudicators.length > 0)
    throw new Refused('forbidden', 'adding an adjudicator to an open queue needs a manage grant on its suite')
  if (adjudicators.some(({ user_id }) => user_id === viewer.actor.user_id))
    throw new Refused(
      'forbidden',
      'those who open a queue cannot adjudicate it without a manage grant: they would see labels before it is closed',
    )
}

/** The change of the people of a queue; null if nothing changes. Refuses: conflict, unprocessable. */
export const peopleChange = (
  queue_id: string,
  before: readonly QueuePerson[],
  add: ReadonlyArray<{ readonly user_id: string; readonly role: ReviewRole }>,
  remove: readonly string[],
): ReviewersChanged['data'] | null => {
  let next = before.reduce((most, { person }) => Math.max(most, person + 1), 0)
  const added = add.flatMap(({ user_id, role }) => {
    const known = before.find((each) => each.user_id === user_id)
    if (known?.role === role && known.removed === 0) return []
    // What an adjudicator saw cannot be unseen.
    if (known?.role === 'adjudicator' && role === 'reviewer')
      throw new Refused('conflict', 'those who adjudicated in a queue, or could have, do not label in it')
    return [{ person: known?.person ?? next++, role, user_id }]
  })
  const removed = [...new Set(remove)].filter((user_id) =>
    before.some((each) => each.user_id === user_id && each.removed === 0),
  )
  if (added.length === 0 && removed.length === 0) return null
  const left = new Map(before.filter((each) => each.removed === 0).map(({ user_id, role }) => [user_id, role]))
  for (const user_id of removed) left.delete(user_id)
  for (const { user_id, role } of added) left.set(user_id, role)
  if (left.size > MAX_PEOPLE) throw new Refused('unprocessable', `a queue has at most ${MAX_PEOPLE} people`)
  if (![...left.values()].includes('reviewer')) throw new Refused('unprocessable', 'a queue needs a reviewer')
  return { queue_id, added, removed }
}
