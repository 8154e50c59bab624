import type { IncomingMessage } from 'node:http'
import type { Services } from '../services.ts'

/**
 * Waits until this process has seen every commit that any replica made before the request. Undefined if there is
 * nothing to wait for. Called again for the same request, it returns the same promise.
 */
export type WaitUntilFresh = (request: IncomingMessage) => Promise<void> | undefined

/** Health must answer even when the store is unreachable. */
const HEALTH = /^\/api\/v1\/health(?:\?|$)/

/**
 * Whether the answer may come from the store or depend on the caller's account: true for everything except pages and
 * health. It is also true for every path with escapes, because such a path may name any route.
 */
const isStored = (url: string): boolean =>
  (url.includes('/api/') && !HEALTH.test(url)) || url.startsWith('/metrics') || url.includes('%')

/**
 * Ensures that an answer includes all commits from before its request: no cached state of the store is used until this
 * process is up to date.
 */
export const freshness = ({ caughtUp }: Pick<Services, 'caughtUp'>): WaitUntilFresh => {
  const waits = new WeakMap<IncomingMessage, Promise<void>>()
  return (request) => {
    if (!isStored(request.url ?? '')) return undefined
    const current = waits.get(request)
    if (current) return current
    const waiting = caughtUp()
    if (waiting) waits.set(request, waiting)
    return waiting
  }
}
