import { isDeepStrictEqual } from 'node:util'
import { splitAnswers, type BlindKind, type SplitAnswers } from '../../domain/review/final.ts'
import { sideOf, turnedAnswers, type Side } from '../../domain/review/queue.ts'
import { canonicalJson } from '../../domain/run/canonical-json.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import {
  findItemFor,
  findLabel,
  isLastUnfinished,
  listLabelsOfItem,
  type ItemForPerson,
  type StoredLabel,
} from '../../queries/reviews/queue-state.ts'
import type { Statement } from '../../storage/storage.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import { Refused } from '../refused.ts'
import { itemAdjudicated, labelGiven, reviewQueueClosed, type LabelData } from './events.ts'
import { ITEM_NOT_FOUND, openItem, reviewerOf } from './refuse-item.ts'

/** What a reviewer sends. `seconds`: how long the case was looked at, without idle time. */
type LabelFields = {
  readonly label_id: string
  readonly answers: Readonly<Record<string, unknown>>
  readonly seconds: number
  readonly recognised: boolean
}

/** A label of an item. `isClosed`: every read of the server needs a credential. */
export type SentLabel = LabelFields & {
  readonly queue_id: string
  readonly n: number
  readonly isClosed: boolean
  readonly salt?: string
}

/** Which case of a pair the person was shown first; null for an item of one case. */
const shownFirst = ({ second_run_no, seed, n }: ItemForPerson, user_id: string): Side | null =>
  second_run_no === null ? null : sideOf(seed, user_id, n)

/** The answers of a label apart from its prose, a preference as one of the cases A and B. Refuses: unprocessable. */
const checkedAnswers = (item: ItemForPerson, side: Side | null, answers: LabelFields['answers']): SplitAnswers => {
  const { problem, ...split } = splitAnswers(item.questions, turnedAnswers(item.questions, side, answers))
  if (problem !== null) throw new Refused('unprocessable', problem)
  // Safe: without a problem there is all of it.
  return split as SplitAnswers
}

/**
 * Whether a label with this id is the one that is sent: the client did not get the first answer. Refuses: conflict (another one).
 */
const isSentAgain = (
  stored: StoredLabel | null,
  viewer: Viewer,
  sent: Pick<LabelFields, 'seconds' | 'recognised'> & {
    readonly queue_id: string
    readonly n: number
    readonly revises: string | null
    readonly adjudicates: 0 | 1
    readonly split: SplitAnswers
  },
): boolean => {
  if (!stored) return false
  const { split, recognised, ...fields } = sent
  const same =
    stored.reviewer === viewer.actor.user_id &&
    Object.entries(fields).every(([key, value]) => stored[key as keyof StoredLabel] === value) &&
    stored.recognised === (recognised ? 1 : 0) &&
    stored.answers === canonicalJson(split.answers) &&
    isDeepStrictEqual(stored.texts === null ? null : JSON.parse(stored.texts), split.texts)
  if (!same) throw new Refused('conflict', 'label_id: another label has this id')
  return true
}

/**
 * Whether a reviewer could have seen more than items. `isClosed`: every read of the server needs a credential. Only an account whose role
 * allows nothing else could not have looked up the judge.
 */
const blindOf = ({ user_role }: ItemForPerson, isClosed: boolean): BlindKind =>
  isClosed && user_role === 'reviewer' ? 'enforced' : 'trusted'

/** The data that labels and adjudications share. */
const labelData = (
  item: ItemForPerson,
  { label_id, seconds, recognised }: LabelFields,
  { answers, decides }: SplitAnswers,
  { isClosed, side }: { readonly isClosed: boolean; readonly side: Side | null },
): Omit<LabelData, 'text_sha256' | 'revises'> => ({
  answers,
  blind: blindOf(item, isClosed),
  case_n: item.case_n,
  decides,
  document_sha256: item.document_sha256,
  imported: null,
  label_id,
  n: item.n,
  own_run: item.own_run,
  person: item.person,
  queue_id: item.queue_id,
  recognised,
  run_no: item.run_no,
  seconds,
  side,
})

/** How labels and adjudications differ. */
type Rules = {
  readonly adjudicates: 0 | 1
  readonly revises: string | null
  /** Refuses people who may not give this label at all. Runs before anything of the item is said. */
  readonly refusePerson: (item: ItemForPerson, labels: readonly StoredLabel[]) => void
  /** Refuses an item that takes no such label. Returns whether the label is the last that it needs. `standing` are its labels. */
  readonly isFinal: (item: ItemForPerson, standing: readonly StoredLabel[], answer: string) => boolean
  readonly statements?: readonly Statement[]
}

/**
 * Records a label or an adjudication, or nothing if the same one was recorded: then the client did not get the answer. The last final
 * label closes the queue. Returns whether it was recorded. Refuses: forbidden (no account), not_found (unknown, or the viewer is not
 * listed), conflict (closed, adjudicated, a deleted run, or another label has the id), unprocessable, and what the rules refuse.
 */
export const recordLabel = (
  viewer: Viewer,
  { queue_id, n, isClosed, salt = newSalt(), ...fields }: SentLabel,
  { adjudicates, revises, refusePerson, isFinal, statements = [] }: Rules,
) =>
  command(viewer, {
    facts: {
      item: findItemFor(viewer.actor.user_id, queue_id, n),
      labels: listLabelsOfItem(queue_id, n),
      sameId: findLabel(fields.label_id),
      isLast: isLastUnfinished(queue_id, n),
    },

    decide({ item: found, labels, sameId, isLast }) {
      const user_id = reviewerOf(viewer)
      if (!found) throw new Refused('not_found', ITEM_NOT_FOUND)
      refusePerson(found, labels)
      const side = shownFirst(found, user_id)
      const split = checkedAnswers(found, side, fields.answers)
      const { seconds, recognised } = fields
      if (isSentAgain(sameId, viewer, { queue_id, n, revises, seconds, recognised, adjudicates, split })) return []
      const item = openItem(found)
      const standing = labels.filter((label) => label.standing === 1)
      if (standing.some((label) => label.adjudicates === 1)) throw new Refused('conflict', 'this item was adjudicated')
      const closes = isFinal(item, standing, split.decides.answer) && isLast
      const data = { ...labelData(item, fields, split, { isClosed, side }), revises }
      const label_ids = standing.map(({ label_id }) => label_id)
      const { project, suite } = item
      return [
        adjudicates === 1
          ? itemAdjudicated({ ...data, label_ids }, split.texts, salt)
          : labelGiven(data, split.texts, salt),
        ...(closes ? [reviewQueueClosed({ queue_id, project, suite, cause: 'complete' })] : []),
      ]
    },
    result: (recorded) => recorded.length > 0,
    statements,
  })
