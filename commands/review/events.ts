import type {
  BlindKind,
  Decision,
  DeclineReason,
  QueueTarget,
  Resolve,
  ReviewRole,
  WithdrawReason,
} from '../../domain/review/final.ts'
import type { QueueItem, QueueRun } from '../../domain/review/queue.ts'
import type { RecordedSelection } from '../../domain/review/selection.ts'
import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import { sql, statement } from '../../storage/sql.ts'
import type { Statement } from '../../storage/storage.ts'
import { newSalt, saltedDigest } from '../credential.ts'
import type { EventTypes } from '../event-type.ts'

/**
 * Stream `review-queue/<queue_id>`: a sample of cases that people label. It names no run by its id, so the erasure of a run leaves
 * nothing personal here. `metric` is null for the target `case`.
 */
export type ReviewQueueOpened = NewEvent<
  'ReviewQueueOpened',
  {
    readonly items: readonly QueueItem[]
    readonly metric: string | null
    readonly per_item: number
    readonly project: string
    readonly queue_id: string
    readonly resolve: Resolve
    readonly rubric_id: string
    readonly rubric_version: number
    readonly runs: readonly QueueRun[]
    readonly seed: string
    readonly selection: RecordedSelection
    readonly suite: string
    readonly target: QueueTarget
    readonly targeted: boolean
  }
>

/**
 * In the stream of the queue. `person` is the number of an account in the queue, from 0 in the order in which they were added. It stays
 * that of the account if it is removed and added again.
 */
export type ReviewersChanged = NewEvent<
  'ReviewersChanged',
  {
    readonly added: readonly { readonly person: number; readonly role: ReviewRole; readonly user_id: string }[]
    readonly queue_id: string
    readonly removed: readonly string[]
  }
>

/** In the stream of the queue. `complete`: every item has a final label. */
export type ReviewQueueClosed = NewEvent<
  'ReviewQueueClosed',
  {
    readonly cause: 'complete' | 'request'
    readonly project: string
    readonly queue_id: string
    readonly suite: string
  }
>

/** What a person answered. Null is "cannot tell". Comments and marks are prose: the event has only their salted digest. */
export type LabelData = {
  readonly answers: Readonly<Record<string, string | number | readonly string[] | null>>
  readonly blind: BlindKind
  readonly case_n: number
  /** What the answer to the deciding question says. */
  readonly decides: Decision
  readonly document_sha256: string
  /** When it was given in another tool, in epoch milliseconds, if the file says so. Only of imported labels. */
  readonly given_at?: number
  /** The format of the file that it came from; null if it was given here. */
  readonly imported: string | null
  readonly label_id: string
  readonly n: number
  /** Whether the account had uploaded the run. */
  readonly own_run: boolean
  readonly person: number
  readonly queue_id: string
  /** The output named its model. */
  readonly recognised: boolean
  /** The label of the same account that this one replaces. */
  readonly revises: string | null
  readonly run_no: number
  /** Null if the file that it came from does not say it. */
  readonly seconds: number | null
  /** Of a pair, which case was shown first. */
  readonly side: 'ab' | 'ba' | null
  readonly text_sha256: string | null
}

/** What an erasure of the label itself, or of its run, keeps: that there was one. */
export type ErasedLabelData = Pick<LabelData, 'label_id' | 'queue_id' | 'n' | 'person' | 'revises'> & {
  readonly erased: true
}

/** Stream `review-item/<queue_id>/<n>`: the reviewer is the actor. */
export type LabelGiven = NewEvent<'LabelGiven', LabelData>

/** In the stream of the item. It stops counting. */
export type LabelWithdrawn = NewEvent<
  'LabelWithdrawn',
  { readonly label_id: string; readonly n: number; readonly queue_id: string; readonly reason: WithdrawReason }
>

/** In the stream of the item: it goes to another person, and never back. */
export type ItemDeclined = NewEvent<
  'ItemDeclined',
  { readonly n: number; readonly person: number; readonly queue_id: string; readonly reason: DeclineReason }
>

/** In the stream of the item: an adjudicator decides between labels that differ. */
export type ItemAdjudicated = NewEvent<'ItemAdjudicated', LabelData & { readonly label_ids: readonly string[] }>

export type ReviewEvent =
  | ReviewQueueOpened
  | ReviewersChanged
  | ReviewQueueClosed
  | LabelGiven
  | LabelWithdrawn
  | ItemDeclined
  | ItemAdjudicated

// Queues and labels are not cached.
const shared = {
  tags: () => [],
  change: 'queue',
  erasure: 'facts',
  digests: false,
  projections: ['reviews'],
} as const
export const REVIEW_EVENTS = {
  ReviewQueueOpened: shared,
  ReviewersChanged: shared,
  ReviewQueueClosed: shared,
  LabelGiven: { ...shared, change: 'label', digests: true },
  LabelWithdrawn: { ...shared, change: 'label' },
  ItemDeclined: { ...shared, change: 'label' },
  ItemAdjudicated: { ...shared, change: 'decision', digests: true },
} as const satisfies EventTypes<ReviewEvent>

const queueStream = (queue_id: string): string => streamOf('review-queue', queue_id)
const itemStream = ({ queue_id, n }: { readonly queue_id: string; readonly n: number }): string =>
  streamOf('review-item', queue_id, String(n))

export const reviewQueueOpened = (data: ReviewQueueOpened['data']): ReviewQueueOpened =>
  event(queueStream(data.queue_id), 'ReviewQueueOpened', data)

export const reviewersChanged = (data: ReviewersChanged['data']): ReviewersChanged =>
  event(queueStream(data.queue_id), 'ReviewersChanged', data)

export const reviewQueueClosed = (data: ReviewQueueClosed['data']): ReviewQueueClosed =>
  event(queueStream(data.queue_id), 'ReviewQueueClosed', data)

/** Comments and marks of a label by the key of their question, as they are stored next to the log. */
export type LabelTexts = Readonly<Record<string, unknown>>

const withTexts = <Data extends { readonly label_id: string }>(
  data: Omit<Data, 'text_sha256'>,
  texts: LabelTexts | null,
  salt: string,
): { readonly data: Data; readonly statements: Statement[] } => {
  const stored = texts === null ? null : JSON.stringify(texts)
  // Safe: only this member was left out.
  const complete = { ...data, text_sha256: stored === null ? null : saltedDigest(salt, stored) } as unknown as Data
  return {
    data: complete,
    statements:
      stored === null
        ? []
        : [
            statement`
              INSERT INTO label_texts (label_id, texts, salt) VALUES (${complete.label_id}, ${stored}, ${salt})`,
          ],
  }
}

export const labelGiven = (
  data: Omit<LabelData, 'text_sha256'>,
  texts: LabelTexts | null,
  salt: string = newSalt(),
): LabelGiven => {
  const { data: complete, statements } = withTexts<LabelData>(data, texts, salt)
  return { ...event(itemStream(data), 'LabelGiven', complete), statements }
}

export const itemAdjudicated = (
  data: Omit<ItemAdjudicated['data'], 'text_sha256'>,
  texts: LabelTexts | null,
  salt: string = newSalt(),
): ItemAdjudicated => {
  const { data: complete, statements } = withTexts<ItemAdjudicated['data']>(data, texts, salt)
  return { ...event(itemStream(data), 'ItemAdjudicated', complete), statements }
}

export const labelWithdrawn = (data: LabelWithdrawn['data']): LabelWithdrawn =>
  event(itemStream(data), 'LabelWithdrawn', data)

export const itemDeclined = (data: ItemDeclined['data']): ItemDeclined => event(itemStream(data), 'ItemDeclined', data)

/** The text of a row of `label_texts` whose digest is in the event: as `withTexts` makes it. */
export const storedLabelText = sql.fragment`salt || ' ' || texts`

/** Deletes the comments and marks of a label with their salt: the digest in the log means nothing then. */
export const deleteLabelText = (label_id: string): Statement =>
  statement`DELETE FROM label_texts WHERE label_id = ${label_id}`
