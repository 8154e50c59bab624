import { z } from 'zod'
import { Unavailable } from '../storage/errors.ts'
import { isShared, type DatabaseStore, type Store } from '../storage/open/reader.ts'
import type { PinnedReader } from '../storage/postgres/pinned-reader.ts'
import { one, sql } from '../storage/sql.ts'
import { tokenBuckets } from './token-buckets.ts'

/** A caller may use `BURST` calls at once, and gets another one every `INTERVAL_MS`: 60 a minute. */
const BURST = 10
const INTERVAL_MS = 1_000
const BURST_MS = BURST * INTERVAL_MS

/** Maximum milliseconds of one access to the shared budget. Beyond that the process counts by itself. */
const SHARED_TIMEOUT_MS = 1_000

/**
 * How many calls each caller may still make. A budget is a token bucket.
 */
export type CallBudget = {
  /** Takes a call from the budget of a caller. Returns 0, or the milliseconds until there is one. */
  readonly take: (caller: string) => Promise<number>
  readonly close: () => Promise<void>
}

/** The budgets of one process. */
const localCallBudget = (now: () => number): CallBudget => {
  const buckets = tokenBuckets({ burst: BURST, intervalMs: INTERVAL_MS, now })
  return { take: async (caller) => buckets.take(caller), close: async () => {} }
}

const Taken = z.object({ taken: z.number().nullable(), earlier: z.number().nullable(), at: z.number() })

/** Takes a call if there is one. The clock of the database counts, so that replicas agree. */
const takeShared = (caller: string) =>
  one(sql.type(Taken)`
    WITH clock AS MATERIALIZED (SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS at),
    taken AS (
      INSERT INTO call_budgets AS held (caller, full_at) SELECT ${caller}, at + ${INTERVAL_MS} FROM clock
      ON CONFLICT (caller) DO UPDATE
        SET full_at = CASE WHEN held.full_at > excluded.full_at + ${BURST_MS} THEN excluded.full_at ELSE greatest(excluded.full_at, held.full_at + ${INTERVAL_MS}) END
        WHERE held.full_at <= excluded.full_at + ${BURST_MS - 2 * INTERVAL_MS} OR held.full_at > excluded.full_at + ${BURST_MS}
      RETURNING full_at
    )
    SELECT (SELECT full_at FROM taken) AS taken, (SELECT full_at FROM call_budgets WHERE caller = ${caller}) AS earlier, at FROM clock`)

/**
 * The budgets of all replicas on a database. While the database does not answer, each process counts by itself.
 */
const sharedCallBudget = (store: DatabaseStore, local: CallBudget, timeoutMs: number): CallBudget => {
  let opening: Promise<PinnedReader> | null = null
  const open = async (): Promise<PinnedReader> => {
    const { openPinnedReader } = await import('../storage/postgres/pinned-reader.ts')
    return openPinnedReader({
      url: store.url,
      statementTimeoutMs: Math.min(store.statementTimeoutMs, timeoutMs),
    })
  }
  return {
    take: async (caller) => {
      try {
        const reader = await (opening ??= open())
        const { taken, earlier, at } = await reader.read(takeShared(caller))
        if (taken !== null) return 0
        // Another replica may have taken a call since `earlier` was read.
        return Math.max(1, Math.min((earlier ?? at) + INTERVAL_MS - at - BURST_MS, BURST_MS))
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error
        return local.take(caller)
      }
    },
    close: async () => (await opening?.catch(() => null))?.close(),
  }
}

/**
 * The budgets of a service on a store. `now` returns epoch milliseconds; `timeoutMs` is the longest wait for the shared
 * budget.
 */
export const openCallBudget = (store: Store, now: () => number, timeoutMs = SHARED_TIMEOUT_MS): CallBudget =>
  isShared(store) ? sharedCallBudget(store, localCallBudget(now), timeoutMs) : localCallBudget(now)
