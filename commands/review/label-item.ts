import { finalOf } from '../../domain/review/final.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { statement } from '../../storage/sql.ts'
import { Refused } from '../refused.ts'
import { recordLabel, type SentLabel } from './record-label.ts'

/**
 * Labels an item. `revises` names the own label that this one replaces. Returns whether it was recorded. Refuses what `recordLabel`
 * refuses, and forbidden (an adjudicator), conflict (full, declined, or labelled by the viewer).
 */
export const labelItem = (viewer: Viewer, { revises, ...sent }: SentLabel & { readonly revises: string | null }) =>
  recordLabel(viewer, sent, {
    adjudicates: 0,
    revises,
    refusePerson({ role }) {
      if (role === 'adjudicator')
        throw new Refused('forbidden', 'you adjudicate in this queue, so you do not label in it')
    },
    isFinal({ person, per_item, resolve, declined }, standing, answer) {
      const own = standing.find((label) => label.person === person)
      if (revises !== null && own?.label_id !== revises)
        throw new Refused('conflict', 'revises: this is not your newest label of this item')
      if (revises === null && own) throw new Refused('conflict', 'you labelled this item')
      if (declined) throw new Refused('conflict', 'you declined it')
      const others = standing.filter((label) => label !== own)
      if (others.length >= per_item) throw new Refused('conflict', `this item has its ${per_item} labels`)
      return finalOf([...others.map(({ decides }) => decides ?? ''), answer], per_item, resolve) !== null
    },
    statements: [
      statement`
        DELETE FROM review_leases WHERE queue_id = ${sent.queue_id} AND n = ${sent.n} AND user_id = ${viewer.actor.user_id}`,
    ],
  })
