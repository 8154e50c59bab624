import type { Viewer } from '../../queries/access/viewer.ts'
import { Refused } from '../refused.ts'
import { recordLabel, type SentLabel } from './record-label.ts'

/**
 * Decides an item whose labels differ. Returns whether it was recorded. Refuses what `recordLabel` refuses, and forbidden (not an
 * adjudicator, or one who labelled the item), conflict (not full, or the labels agree).
 */
export const adjudicateItem = (viewer: Viewer, sent: SentLabel) =>
  recordLabel(viewer, sent, {
    adjudicates: 1,
    revises: null,
    refusePerson({ role, person }, labels) {
      if (role !== 'adjudicator')
        throw new Refused('forbidden', 'only adjudicators of this queue decide between labels')
      if (labels.some((label) => label.person === person && label.adjudicates === 0))
        throw new Refused('forbidden', 'you labelled this item')
    },
    isFinal({ state, per_item }) {
      if (state === 'open') throw new Refused('conflict', `this item does not have its ${per_item} labels`)
      if (state === 'final') throw new Refused('conflict', 'the labels of this item agree')
      return true
    },
  })
