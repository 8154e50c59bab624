import { hash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { networkOf } from '../../runtime/threads/network.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

/** After `free` failures waits begin; one failure is forgotten every `every` ms, which is also the longest wait. */
type Limits = { readonly free: number; readonly every: number }

/** The wider what is counted, the more innocents share it: more is free, and waits are shorter. */
const PAIR: Limits = { free: 10, every: 15 * MINUTE }
const ACCOUNT: Limits = { free: 20, every: 3 * MINUTE }
const ADDRESS: Limits = { free: 100, every: 10 * SECOND }

/** Entries of each kind that are remembered; what was used longest ago is forgotten first. */
const MOST = 20_000

/** How long an address counts as one that its account signs in from. */
const FAMILIAR_MS = 30 * DAY

/** An attempt that nobody told the end of is over after this. */
const ATTEMPT_MS = 30 * SECOND

export type Summary = { readonly failed: number; readonly throttled: number }

export type SignInThrottle = {
  /**
   * How long to wait in ms; 0 lets the attempt begin, and its end is then told once, by `failed`, `succeeded` or
   * `abandoned`.
   */
  readonly check: (username: string, address: string | null) => number
  readonly failed: (username: string, address: string | null) => void
  readonly succeeded: (username: string, address: string | null) => void
  /** Ended without a verdict: the service was too busy to give one, which is nobody's guess. */
  readonly abandoned: (username: string, address: string | null) => void
  /** What was refused since this was asked last, for the log; null for nothing. */
  readonly refusals: () => Summary | null
}

/**
 * Slows those who guess passwords. Failures are counted per account at an address, per account, and per address. Beyond
 * what is free (10, 20, 100) the next attempt has to wait 1 s, and twice as long after each further failure, at most
 * 15 min, 3 min and 10 s. One failure is forgotten in as many, so one who never stops gets one guess in that time.
 * Attempts under way count as failures until they end, so many at once gain nothing.
 *
 * Once an account has signed in from an address, only the failures of this account at this address count there:
 * failures at it from elsewhere do not lock its owner out, nor do failures at other accounts behind the same proxy. A
 * success forgets the failures of its pair, and none of others: signing in to an account of one's own buys no guesses.
 *
 * A name without an account is counted like any other. All addresses of one IPv6 /64 network count as one. Of names
 * only keyed digests are held (people type passwords into the wrong field), all in memory: a restart forgets
 * everything.
 */
export const signInThrottle = ({
  now,
  most = MOST,
}: {
  readonly now: () => number
  readonly most?: number
}): SignInThrottle => {
  const secret = randomBytes(16).toString('hex')
  const pairs = counting(PAIR, most, now)
  const accounts = counting(ACCOUNT, most, now)
  const addresses = counting(ADDRESS, most, now)
  const familiar = atMost<number>(most)
  let failures = 0
  let throttled = 0

  const keysOf = (
    username: string,
    address: string | null,
  ): { readonly pair: string; readonly account: string; readonly network: string } => {
    const account = hash('sha256', secret + username, 'base64url')
    const network = address === null ? '' : networkOf(address)
    return { pair: `${account} ${network}`, account, network }
  }
  const isFamiliar = (pair: string): boolean => now() - (familiar.get(pair) ?? -Infinity) < FAMILIAR_MS

  /** What of the three counts concerns this attempt. */
  const countsFor = (
    username: string,
    address: string | null,
  ): ReadonlyArray<readonly [count: Counting, key: string]> => {
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

/**
 * Bounded by a total size of which each entry is one: bounded by `max`, the memory for all of them would be taken at
 * once.
 */
const atMost = <Value extends object | number>(most: number) =>
  new LRUCache<string, Value>({ maxSize: most, sizeCalculation: () => 1 })

type Counting = ReturnType<typeof counting>
type Count = { failures: number; forgottenAt: number; waitUntil: number; underWay: readonly number[] }

const counting = ({ free, every }: Limits, most: number, now: () => number) => {
  const counts = atMost<Count>(most)
  // More than lead to the longest wait would only take longer to be forgotten.
  const mostFailures = free + Math.ceil(Math.log2(every / SECOND))

  const current = (key: string): Count => {
    const { failures, forgottenAt, waitUntil, underWay } = counts.get(key) ?? {
      failures: 0,
      forgottenAt: 0,
      waitUntil: 0,
      underWay: [],
    }
    const forgotten = Math.max(0, Math.floor((now() - forgottenAt) / every))
    const left = Math.max(0, failures - forgotten)
    return {
      failures: left,
      forgottenAt: left === 0 ? now() : forgottenAt + forgotten * every,
      waitUntil,
      underWay: underWay.filter((begun) => now() - begun < ATTEMPT_MS),
    }
  }

  return {
    wait: (key: string): number => {
      const { failures, underWay, waitUntil } = current(key)
      if (failures + underWay.length < free) return 0
      // A clock that was set back makes no wait longer.
      return Math.max(underWay.length > 0 ? SECOND : 0, Math.min(every, waitUntil - now()))
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
      const failures = Math.min(count.failures + 1, mostFailures)
      const wait = failures < free ? 0 : Math.min(every, SECOND * 2 ** (failures - free))
      counts.set(key, { ...count, failures, waitUntil: now() + wait, underWay: count.underWay.slice(1) })
    },
    forget: (key: string): void => void counts.delete(key),
  }
}
