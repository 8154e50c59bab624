import type { BaselinePinned, BaselineUnpinned } from '../../commands/baseline/events.ts'
import type { ReviewQueueClosed } from '../../commands/review/events.ts'
import type { RunDeleted, RunIngested } from '../../commands/run/events.ts'
import type { NewDelivery } from '../../commands/webhook/make-deliveries.ts'
import type { RunSet } from '../../domain/sets.ts'
import { COMPARED_EVENTS, type WebhookEvent } from '../../domain/webhooks/event-types.ts'
import type { MessageFacts } from '../../domain/webhooks/message.ts'
import { findViewerClass, seesSet, type ViewerClass } from '../../queries/access/viewer-class.ts'
import type { OutcomeRequest, RunOutcome } from '../../queries/webhooks/outcome.ts'
import { findReviewCounts } from '../../queries/reviews/queue-state.ts'
import { findRunCounts } from '../../queries/webhooks/run-counts.ts'
import { countWaiting } from '../../queries/webhooks/deliveries.ts'
import { findOwner } from '../../queries/webhooks/owners.ts'
import { listActiveWebhooks, type ActiveWebhook } from '../../queries/webhooks/webhooks.ts'
import type { Recorded } from '../../storage/command.ts'
import { listRecords, recordedOf, type LogRecord } from '../../storage/log/records.ts'
import type { Reader } from '../../storage/storage.ts'

/** Records that one batch reads, and deliveries after which it ends: one commit stores them. */
const MAX_RECORDS = 500
const MAX_DELIVERIES = 1000

/** Deliveries of one webhook that may wait. Later ones are parked, and shown as such. */
export const MAX_WAITING = 10_000

/** The records that webhooks are about. */
export type Subject =
  | Recorded<RunIngested>
  | Recorded<RunDeleted>
  | Recorded<BaselinePinned>
  | Recorded<BaselineUnpinned>
  | Recorded<ReviewQueueClosed>

const SUBJECTS: ReadonlySet<string> = new Set<Subject['type']>([
  'RunIngested',
  'RunDeleted',
  'BaselinePinned',
  'BaselineUnpinned',
  'ReviewQueueClosed',
])

/** The event of a record, if webhooks are about it. Null for another type, and for an erased body. */
export const recordSubject = (record: LogRecord): Subject | null => {
  const recorded = recordedOf(record)
  return recorded && SUBJECTS.has(recorded.type) ? (recorded as Recorded as Subject) : null
}

/** The id of the run of a stream `run/<id>`. */
export const streamRunId = (stream: string): string => decodeURIComponent(stream.slice(stream.indexOf('/') + 1))

type Parts = {
  readonly reader: Reader
  readonly mint: () => string
  /** What a run means for its suite; null if that is not known. */
  readonly outcomeOf: (seq: number, asked: OutcomeRequest) => Promise<RunOutcome | null>
}

/** The next deliveries, and the record up to which the log was looked at. */
export type Batch = { readonly to: number; readonly deliveries: readonly NewDelivery[] }

type Occurred = { readonly event: WebhookEvent; readonly facts: MessageFacts }

const isFor = ({ project, suite }: ActiveWebhook, set: RunSet): boolean =>
  project === null || (project === set.project && (suite === null || suite === set.suite))

/**
 * What happened in one record. `wanted` are the events that webhooks ask for here: what a run is compared with is read only
 * for them.
 */
const occurredIn = async (
  recorded: Subject,
  wanted: ReadonlySet<string>,
  { reader, outcomeOf }: Parts,
): Promise<Occurred[]> => {
  switch (recorded.type) {
    case 'RunDeleted':
      return [{ event: 'run.deleted', facts: {} }]
    case 'BaselinePinned':
      return [{ event: 'baseline.pinned', facts: {} }]
    case 'BaselineUnpinned':
      return [{ event: 'baseline.unpinned', facts: {} }]
    case 'ReviewQueueClosed':
      return [
        { event: 'review.completed', facts: { reviewed: await reader.read(findReviewCounts(recorded.data.queue_id)) } },
      ]
    case 'RunIngested': {
      const { seq, stream, data } = recorded
      const counts = await reader.read(findRunCounts(data.run_no))
      const asked = { run_id: streamRunId(stream), hasTrend: wanted.has('suite.changed') }
      const outcome =
        counts !== null && [...COMPARED_EVENTS].some((event) => wanted.has(event)) ? await outcomeOf(seq, asked) : null
      const {
        regressed = null,
        recovered = null,
        costlier = null,
        slower = null,
        judged = null,
        changed = null,
      } = outcome ?? {}
      return [
        { event: 'run.ingested', facts: { counts } },
        ...(regressed ? [{ event: 'run.regressed' as const, facts: { counts, compared: regressed } }] : []),
        ...(recovered ? [{ event: 'run.recovered' as const, facts: { counts, compared: recovered } }] : []),
        ...(costlier ? [{ event: 'run.costlier' as const, facts: { counts, measured: costlier } }] : []),
        ...(slower ? [{ event: 'run.slower' as const, facts: { counts, measured: slower } }] : []),
        ...(judged ? [{ event: 'judge.changed' as const, facts: { counts, judged } }] : []),
        ...(changed ? [{ event: 'suite.changed' as const, facts: { change: changed } }] : []),
      ]
    }
  }
}

/** What the owners of webhooks may see, each read once. */
const ownersIn = (reader: Reader) => {
  const classes = new Map<string, Promise<ViewerClass | null>>()
  const read = async (user_id: string): Promise<ViewerClass | null> => {
    const owner = await reader.read(findOwner(user_id))
    return owner && reader.read(findViewerClass(owner))
  }
  return (user_id: string): Promise<ViewerClass | null> => {
    const found = classes.get(user_id) ?? read(user_id)
    classes.set(user_id, found)
    return found
  }
}

/**
 * Makes the deliveries of the next records after a position. A webhook gets what was recorded after its creation, of suites
 * that its owner may see: a delivery of a hidden suite, even one that is never sent, would show that something happened.
 */
export const makeBatch = async (from: number, parts: Parts): Promise<Batch> => {
  const { reader, mint } = parts
  const records = await reader.read(listRecords(from, MAX_RECORDS))
  const subjects = records.flatMap((record) => recordSubject(record) ?? [])
  const end = records.at(-1)?.seq ?? from
  if (subjects.length === 0) return { to: end, deliveries: [] }
  const webhooks = await reader.read(listActiveWebhooks)
  const waiting = new Map(await reader.read(countWaiting))
  const classOf = ownersIn(reader)
  const deliveries: NewDelivery[] = []
  for (const recorded of subjects) {
    const { seq, data } = recorded
    const receivers: ActiveWebhook[] = []
    for (const webhook of webhooks) {
      if (webhook.created_seq >= seq || !isFor(webhook, data)) continue
      const viewerClass = await classOf(webhook.user_id)
      if (viewerClass && seesSet(viewerClass, data)) receivers.push(webhook)
    }
    if (receivers.length === 0) continue
    const wanted = new Set(receivers.flatMap(({ events }) => [...events]))
    for (const { event, facts } of await occurredIn(recorded, wanted, parts))
      for (const { webhook_id, events } of receivers) {
        if (!events.has(event)) continue
        const count = waiting.get(webhook_id) ?? 0
        waiting.set(webhook_id, count + 1)
        deliveries.push({ delivery_id: mint(), webhook_id, seq, event, facts, isParked: count >= MAX_WAITING })
      }
    if (deliveries.length >= MAX_DELIVERIES) return { to: seq, deliveries }
  }
  return { to: end, deliveries }
}
