import { hash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { networkOf } from '../../domain/network.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

/** Waits start after `free` failures. One failure expires every `everyMs`, which is also the longest wait. */
type Limits = { readonly free: number; readonly everyMs: number }

/**
 * A count that covers more clients also affects more innocent users. So it has more free failures and shorter waits.
 */
const PAIR: Limits = { free: 10, everyMs: 15 * MINUTE }
const ACCOUNT: Limits = { free: 20, everyMs: 3 * MINUTE }
const ADDRESS: Limits = { free: 100, everyMs: 10 * SECOND }

/** Maximum number of entries of each kind; the least recently used one is evicted first. */
const MAX_ENTRIES = 20_000

/** How long an address counts as familiar for an account after the account signed in from it. */
const FAMILIAR_MS = 30 * DAY

/** An attempt whose end was never reported expires after this. */
const ATTEMPT_MS = 30 * SECOND

export type Summary = { readonly failed: number; readonly throttled: number }

export type SignInThrottle = {
  /**
   * Returns how long to wait in ms. After 0 the attempt starts, and the caller reports its end once, with `failed`,
   * `succeeded` or `abandoned`. The name is null for an attempt with a link, which names no account: it counts for its address alone.
   */
  readonly check: (username: string | null, address: string | null) => number
  readonly failed: (username: string | null, address: string | null) => void
  readonly succeeded: (username: string, address: string | null) => void
  /** Ended without a result because the service was too busy. It does not count as a failure. */
  readonly abandoned: (username: string | null, address: string | null) => void
  /** The numbers of refused attempts since the last call, for the log; null if there are none. */
  readonly refusals: () => Summary | null
}

/**
 * Slows down clients that guess passwords. Failures are counted for each pair of account and address, for each account,
 * and for each address. Beyond the free failures (10, 20, 100) the next attempt has to wait 1 s. The wait doubles with
 * each further failure, up to 15 min, 3 min and 10 s. One failure expires in the same time, so a client that never
 * stops gets one guess per 15 min, 3 min or 10 s. Attempts in progress count as failures until they end, so concurrent
 * attempts gain nothing.
 *
 * Once an account has signed in from an address, only the failures of this pair count there. So failures from other
 * addresses do not lock out the owner, nor do failures of other accounts behind the same proxy. A success clears only
 * the failures of its pair, so a client gains no guesses by signing in to its own account.
 *
 * A name without an account is counted like any other. All addresses of one IPv6 /64 network count as one. Names are
 * held as keyed digests only, since users type passwords into the wrong field. Everything is in memory: a restart
 * clears it.
 */
export const signInThrottle = ({
  now,
  maxEntries = MAX_ENTRIES,
}: {
  readonly now: () => number
  readonly maxEntries?: number
}): SignInThrottle => {
  const secret = randomBytes(16).toString('hex')
  const pairs = counting(PAIR, maxEntries, now)
  const accounts = counting(ACCOUNT, maxEntries, now)
  const addresses = counting(ADDRESS, maxEntries, now)
  const familiar = boundedMap<number>(maxEntries)
  let failures = 0
  let throttled = 0

  const networkKey = (address: string | null): string => (address === null ? '' : networkOf(address))
  const keysOf = (
    username: string,
    address: string | null,
  ): { readonly pair: string; readonly account: string; readonly network: string } => {
    const account = hash('sha256', secret + username, 'base64url')
    const network = networkKey(address)
    return { pair: `${account} ${network}`, account, network }
  }
  const isFamiliar = (pair: string): boolean => now() - (familiar.get(pair) ?? -Infinity) < FAMILIAR_MS

  /** Which of the three counts apply to this attempt. */
  const countsFor = (
    username: string | null,
    address: string | null,
  ): ReadonlyArray<readonly [count: Counting, key: string]> => {
    if (username === null) return [[addresses, networkKey(address)]]
    const { pair, account, network } = keysOf(username, address)
    if (isFamiliar(pair)) return [[pairs, pair]]
    return [
      [pairs, pair],
      [accounts, account],
      [addresses, network],
    ]
  }

  return {
    check: (username, address) => {
      const counts = countsFor(username, address)
      const wait = Math.max(...counts.map(([count, key]) => count.wait(key)))
      if (wait > 0) throttled += 1
      else for (const [count, key] of counts) count.begin(key)
      return wait
    },
    failed: (username, address) => {
      failures += 1
      for (const [count, key] of countsFor(username, address)) count.fail(key)
    },
    succeeded: (username, address) => {
      const { pair } = keysOf(username, address)
      for (const [count, key] of countsFor(username, address)) count.end(key)
      pairs.forget(pair)
      familiar.set(pair, now())
    },
    abandoned: (username, address) => {
      for (const [count, key] of countsFor(username, address)) count.end(key)
    },
    refusals: () => {
      const summary = failures + throttled === 0 ? null : { failed: failures, throttled }
      failures = 0
      throttled = 0
      return summary
    },
  }
}

/** With `max` instead of `maxSize`, LRUCache would allocate the memory for all entries at once. */
const boundedMap = <Value extends object | number>(maxEntries: number) =>
  new LRUCache<string, Value>({ maxSize: maxEntries, sizeCalculation: () => 1 })

type Counting = ReturnType<typeof counting>
type Count = { failures: number; expiredAt: number; waitUntil: number; underWay: readonly number[] }

const counting = ({ free, everyMs }: Limits, maxEntries: number, now: () => number) => {
  const counts = boundedMap<Count>(maxEntries)
  // Further failures would not make the wait longer; they would only take longer to expire.
  const maxFailures = free + Math.ceil(Math.log2(everyMs / SECOND))

  const current = (key: string): Count => {
    const { failures, expiredAt, waitUntil, underWay } = counts.get(key) ?? {
      failures: 0,
      expiredAt: 0,
      waitUntil: 0,
      underWay: [],
    }
    const expired = Math.max(0, Math.floor((now() - expiredAt) / everyMs))
    const left = Math.max(0, failures - expired)
    return {
      failures: left,
      expiredAt: left === 0 ? now() : expiredAt + expired * everyMs,
      waitUntil,
      underWay: underWay.filter((startedAt) => now() - startedAt < ATTEMPT_MS),
    }
  }

  return {
    wait: (key: string): number => {
      const { failures, underWay, waitUntil } = current(key)
      if (failures + underWay.length < free) return 0
      // A clock that was set back does not make a wait longer.
      return Math.max(underWay.length > 0 ? SECOND : 0, Math.min(everyMs, waitUntil - now()))
    },
    begin: (key: string): void => {
      const count = current(key)
      counts.set(key, { ...count, underWay: [...count.underWay, now()] })
    },
    end: (key: string): void => {
      const count = current(key)
      const underWay = count.underWay.slice(1)
      if (count.failures + underWay.length === 0) counts.delete(key)
      else counts.set(key, { ...count, underWay })
    },
    fail: (key: string): void => {
      const count = current(key)
      const failures = Math.min(count.failures + 1, maxFailures)
      const wait = failures < free ? 0 : Math.min(everyMs, SECOND * 2 ** (failures - free))
      counts.set(key, { ...count, failures, waitUntil: now() + wait, underWay: count.underWay.slice(1) })
    },
    forget: (key: string): void => void counts.delete(key),
  }
}
