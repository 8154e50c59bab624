import PQueue from 'p-queue'
import type { Logger } from 'pino'
import { Refused } from '../../commands/refused.ts'
import type { AllowedTargets } from './addresses.ts'
import { nextTryAt } from '../../domain/webhooks/tries.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import { findCursor, listDue, type DueDelivery } from '../../queries/webhooks/deliveries.ts'
import type { RunOutcome } from '../../queries/webhooks/outcome.ts'
import { findFirstWebhook } from '../../queries/webhooks/webhooks.ts'
import { Busy, Unavailable } from '../../storage/errors.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Schedule } from '../background/hourly.ts'
import type { OpenService } from '../services.ts'
import { composeMessage, webhookOrigin } from './compose.ts'
import { makeBatch } from './make-batch.ts'
import { postDelivery, type PostDelivery, type Posted } from './post-delivery.ts'
import type { SentCounts } from './sent-counts.ts'
import { UnreadableTarget, type SealedTargets } from './targets.ts'

/** How often the log is looked at while there are webhooks, and while there are none. */
const INTERVAL_MS = 1_000
const IDLE_INTERVAL_MS = 5_000
/** How long a receiver may take to answer. */
const ANSWER_MS = 10_000
/** Requests at once. */
const MAX_AT_ONCE = 8
/** A lease is renewed when less than `RENEW_MS` of it is left, so a request ends before another replica can send. */
const LEASE_MS = 18_000
const RENEW_MS = 13_000
/** How long a stop waits for requests that are under way. */
const STOP_MS = 3_000
const PRUNE_MS = 600_000
/** Failures of a comparison after which its events are given up: they must not block all others. */
const MAX_FAILURES = 3

type Parts = Pick<OpenService, 'commit' | 'longReads' | 'now' | 'instance' | 'caughtUp'> & {
  /** Reads what was committed, also what has no event. Never from a standby. */
  readonly reader: Reader
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly mint: () => string
}

type Options = {
  readonly targets: SealedTargets
  readonly allowed: AllowedTargets
  readonly publicUrl: string | null
  /** Whether other replicas may send too. */
  readonly isShared: boolean
  /** Calls `work` after `ms` milliseconds. Returns a function that cancels it. */
  readonly schedule?: Schedule
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random?: () => number
  readonly post?: PostDelivery
  /** Sends messages of `mailto:` URLs. */
  readonly mail: PostDelivery
  /** Makes a signal that ends one request; after ten seconds by default. */
  readonly deadline?: () => AbortSignal
}

export type WebhookSender = {
  readonly start: () => void
  readonly counts: () => SentCounts
  /** Ends requests under way after a short time; they are sent again by the next start. */
  readonly close: () => Promise<void>
}

const setTimer: Schedule = (ms, work) => {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}

/**
 * Sends webhooks in the background, at least once each: what was sent is noted after the answer. Of several replicas, the
 * holder of a lease sends.
 */
export const createWebhookSender = (
  { reader, commit, longReads, now, instance, caughtUp, logger, mint }: Parts,
  {
    targets,
    allowed,
    publicUrl,
    isShared,
    schedule = setTimer,
    random = Math.random,
    post = postDelivery(),
    mail,
    deadline = () => AbortSignal.timeout(ANSWER_MS),
  }: Options,
): WebhookSender => {
  const closing = new AbortController()
  const underWay = new Map<string, Promise<void>>()
  /** Requests under way by account. */
  const loads = new Map<string, number>()
  const busyTargets = new Set<string>()
  const starting = new PQueue({ concurrency: 1 })
  const failures = new Map<number, number>()
  const counts = { delivered: 0, failed: 0, dropped: 0 }
  let leaseUntil = Number.NEGATIVE_INFINITY
  let prunedAt = Number.NEGATIVE_INFINITY
  let cancel = (): void => {}
  let ticking = Promise.resolve()

  const report = (err: unknown): void => {
    // Another replica has taken over.
    if (err instanceof Refused) leaseUntil = Number.NEGATIVE_INFINITY
    // Requests report that the store is not available.
    else if (!(err instanceof Unavailable) && !closing.signal.aborted)
      logger.error({ err }, 'webhooks could not be sent; it is tried again')
  }

  /** Whether this process may send for some more time. */
  const holdLease = async (): Promise<boolean> => {
    if (!isShared || leaseUntil - now() > RENEW_MS) return true
    const at = now()
    const isHolder = await commit.takeWebhookLease(SYSTEM, { holder: instance, at, until: at + LEASE_MS })
    leaseUntil = isHolder ? at + LEASE_MS : Number.NEGATIVE_INFINITY
    return isHolder
  }

  const outcomeOf = async (
    seq: number,
    asked: { readonly run_id: string; readonly hasTrend: boolean },
  ): Promise<RunOutcome | null> => {
    if ((failures.get(seq) ?? 0) >= MAX_FAILURES) return null
    try {
      const answer = await longReads.runOutcome(SYSTEM, asked, closing.signal)
      failures.delete(seq)
      return answer && (JSON.parse(Buffer.from(answer.body).toString('utf8')) as RunOutcome)
    } catch (err) {
      // The service had no capacity for the read. The run did not cause that.
      if (!(err instanceof Busy)) failures.set(seq, (failures.get(seq) ?? 0) + 1)
      if (failures.get(seq) === MAX_FAILURES)
        logger.error({ err, seq }, 'a run cannot be compared: webhooks do not report whether it regressed')
      throw err
    }
  }

  /** Makes deliveries up to the end of the log. */
  const makeAll = async (first: number): Promise<void> => {
    while (!closing.signal.aborted && (await holdLease())) {
      const from = Math.max(await reader.read(findCursor), first)
      const { to, deliveries } = await makeBatch(from, { reader, mint, outcomeOf })
      if (to === from) return
      await commit.makeDeliveries(SYSTEM, { from, to, at: now(), deliveries })
      await startDue()
    }
  }

  /** Where a webhook sends. One that cannot be decrypted fails alone. */
  const originOf = ({ webhook_id, sealed }: DueDelivery): string => {
    try {
      return webhookOrigin(targets.open(webhook_id, sealed).url)
    } catch (error) {
      if (!(error instanceof UnreadableTarget)) throw error
      return webhook_id
    }
  }

  /** Sends a message. Null if it may not be sent. */
  const send = async (due: DueDelivery): Promise<(Posted & { readonly receiver: string }) | null> => {
    try {
      const message = await composeMessage(due, { reader, targets, publicUrl, now })
      if (!message) return null
      const signal = AbortSignal.any([deadline(), closing.signal])
      const deliverBy = message.url.startsWith('mailto:') ? mail : post
      return { ...(await deliverBy({ ...message, allowed, signal })), receiver: webhookOrigin(message.url) }
    } catch (error) {
      if (!(error instanceof UnreadableTarget)) throw error
      return { status: null, error: 'target_unreadable', receiver: 'unknown' }
    }
  }

  const deliver = async (due: DueDelivery): Promise<void> => {
    const { delivery_id, webhook_id, tries } = due
    const sent = await send(due)
    if (!sent) {
      counts.dropped++
      await commit.dropDelivery(SYSTEM, { delivery_id })
      return
    }
    const { status, error, receiver } = sent
    // A request that a stop interrupted was no try of the receiver.
    if (error === 'timeout' && closing.signal.aborted) return
    counts[error === null ? 'delivered' : 'failed']++
    const at = now()
    // A test shows what happens now, so it is tried once.
    const next_at = error === null || due.seq === null || status === 410 ? null : nextTryAt(tries + 1, at, random())
    await commit.noteDelivery(SYSTEM, { delivery_id, webhook_id, at, status, error, next_at })
    if (error !== null && next_at === null)
      logger.warn({ webhook_id, receiver, tries: tries + 1, status, error }, 'a webhook was not delivered')
  }

  const addLoad = (user_id: string, change: 1 | -1): void => {
    const load = (loads.get(user_id) ?? 0) + change
    if (load === 0) loads.delete(user_id)
    else loads.set(user_id, load)
  }

  const start = (due: DueDelivery, target: string): void => {
    busyTargets.add(target)
    addLoad(due.user_id, 1)
    const sent = deliver(due)
      .then(
        () => true,
        (err: unknown) => {
          report(err)
          return false
        },
      )
      .then((isDone) => {
        underWay.delete(due.delivery_id)
        busyTargets.delete(target)
        addLoad(due.user_id, -1)
        // After a failure of the store, the next tick tries again.
        if (isDone) startDue().catch(report)
      })
    underWay.set(due.delivery_id, sent)
  }

  /**
   * Starts requests for what is due, as far as there is room: one to each target. The account with the fewest requests
   * under way is next, so that receivers of one account that answer slowly do not delay those of others.
   */
  const startDue = (): Promise<void> =>
    starting.add(async () => {
      if (closing.signal.aborted || underWay.size >= MAX_AT_ONCE || !(await holdLease())) return
      const queued = (await reader.read(listDue(now()))).map((due) => ({
        due,
        target: originOf(due),
      }))
      while (underWay.size < MAX_AT_ONCE && !closing.signal.aborted) {
        const ready = queued.filter(({ due, target }) => !underWay.has(due.delivery_id) && !busyTargets.has(target))
        const loadOf = ({ due }: (typeof ready)[number]): number => loads.get(due.user_id) ?? 0
        const [first, ...others] = ready
        if (!first) return
        const next = others.reduce((least, one) => (loadOf(one) < loadOf(least) ? one : least), first)
        queued.splice(queued.indexOf(next), 1)
        start(next.due, next.target)
      }
    })

  const prune = async (): Promise<void> => {
    if (now() - prunedAt < PRUNE_MS) return
    prunedAt = now()
    await commit.pruneDeliveries(SYSTEM, { at: now() })
  }

  /** Returns whether there are webhooks. */
  const work = async (): Promise<boolean> => {
    await caughtUp()
    const first = await reader.read(findFirstWebhook)
    if (first === null) return false
    if (!(await holdLease())) return true
    await startDue()
    await makeAll(first)
    await prune()
    return true
  }

  const tick = async (): Promise<void> => {
    let isIdle = false
    try {
      isIdle = !(await work())
    } catch (err) {
      report(err)
    }
    if (!closing.signal.aborted) scheduleNext(isIdle ? IDLE_INTERVAL_MS : INTERVAL_MS)
  }
  const scheduleNext = (ms: number): void => {
    cancel = schedule(ms, () => {
      ticking = tick()
    })
  }

  return {
    start: () => scheduleNext(0),
    counts: () => ({ ...counts }),
    close: async () => {
      cancel()
      let cancelWait = (): void => {}
      await Promise.race([
        Promise.all(underWay.values()),
        new Promise<void>((resolve) => {
          cancelWait = schedule(STOP_MS, resolve)
        }),
      ])
      cancelWait()
      closing.abort()
      await ticking
      await Promise.all(underWay.values())
      await starting.onIdle()
      if (isShared && leaseUntil > now()) await commit.releaseWebhookLease(SYSTEM, { holder: instance })
    },
  }
}
