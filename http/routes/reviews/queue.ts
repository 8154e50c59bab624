import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import type { NewPerson } from '../../../commands/review/people.ts'
import { reviewerOf } from '../../../commands/review/refuse-item.ts'
import { parseItemId, findQueueSet } from '../../../queries/reviews/queue-state.ts'
import type { MyItems } from '../../../queries/reviews/my-items.ts'
import type { LongReadAnswer } from '../../../queries/long-reads.ts'
import { findReviewQueue, type ReviewQueue } from '../../../queries/reviews/queues.ts'
import type { Suite } from '../../../queries/sets/baselines.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { mustExist, TooManyAttempts } from '../../errors.ts'
import type { Services } from '../../services.ts'

/** Bytes of a request about an item. */
export const MAX_LABEL_BYTES = 16 * 1024

/** Finds a queue. Refuses: not_found. */
export const readQueue = async (
  { reader }: Pick<Services, 'reader'>,
  viewer: Viewer,
  id: string,
): Promise<ReviewQueue> => mustExist(await findReviewQueue(reader, viewer, id), 'review queue')

/** The set of a queue never changes, so it can be read before the command that checks the level on it. */
export const readQueueSet = async ({ reader }: Pick<Services, 'reader'>, viewer: Viewer, id: string): Promise<Suite> =>
  mustExist(await reader.read(findQueueSet(viewer, id)), 'review queue')

/** The parts of an item's id. Refuses: forbidden (no account), not_found (not an id of an item). */
export const itemOf = (viewer: Viewer, item: string): { readonly queue_id: string; readonly n: number } => {
  const place = mustExist(parseItemId(item), 'review item')
  reviewerOf(viewer)
  return place
}

export const peopleOf = (reviewers: readonly string[], adjudicators: readonly string[]): NewPerson[] => [
  ...reviewers.map((name) => ({ name, role: 'reviewer' as const })),
  ...adjudicators.map((name) => ({ name, role: 'adjudicator' as const })),
]

/** The value of a read that was made in a reader thread, whose answer is JSON as bytes; null if nothing was found. */
export const valueOf = (answer: LongReadAnswer | null): unknown =>
  answer === null ? null : JSON.parse(Buffer.from(answer.body).toString())

/** Reads items in a reader thread: one may be large. Of a queue in which the viewer is not listed there are none. */
export const readItems = async (
  longReads: Services['longReads'],
  viewer: Viewer,
  asked: { readonly queue_id: string; readonly ns: readonly number[] },
  clientLeft?: AbortSignal,
): Promise<z.infer<typeof MyItems>> => {
  const found = valueOf(await longReads.reviewItems(viewer, asked, clientLeft))
  // Safe: the read returns this.
  return mustExist(found, 'review queue') as z.infer<typeof MyItems>
}

/** 128 random bits, as hex. */
export const newSeed = (): string => randomBytes(16).toString('hex')

const MINUTE_MS = 60_000
/** Labels of one account in a minute. */
const MAX_LABELS_A_MINUTE = 120

/**
 * Counts the labels of each account in the last minute. Throws `TooManyAttempts`. `recent` has when each account labelled, that which
 * labelled last at the end; accounts without a label in the last minute are forgotten.
 */
export const labelThrottle = (now: () => number, recent = new Map<string, number[]>()) => {
  return (user_id: string): void => {
    const at = now()
    for (const [id, times] of recent) {
      if ((times.at(-1) ?? 0) > at - MINUTE_MS) break
      recent.delete(id)
    }
    const times = (recent.get(user_id) ?? []).filter((each) => each > at - MINUTE_MS)
    if (times.length >= MAX_LABELS_A_MINUTE)
      throw new TooManyAttempts(
        `an account gives at most ${MAX_LABELS_A_MINUTE} labels a minute`,
        (times[0] ?? at) + MINUTE_MS - at,
      )
    times.push(at)
    recent.delete(user_id)
    recent.set(user_id, times)
  }
}
