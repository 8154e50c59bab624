import type { IncomingMessage } from 'node:http'
import type { Services } from '../services.ts'

/**
 * Waits until everything is known that was committed before a request came, wherever it was; undefined where there is
 * nothing to wait for. Asked again for the same request it is the same wait.
 */
export type WaitUntilFresh = (request: IncomingMessage) => Promise<void> | undefined

/** Whether this process lives is to be told most of all when the store is away. */
const HEALTH = /^\/api\/v1\/health(?:\?|$)/

/**
 * What may be answered from the store, or to those alone whom the store knows: pages and health are not. A path in
 * disguise may be anything.
 */
const isStored = (url: string): boolean =>
  (url.includes('/api/') && !HEALTH.test(url)) || url.startsWith('/metrics') || url.includes('%')

/**
 * Every answer is as new as its request: what this process keeps of the store is told of every commit before it is
 * used.
 */
export const freshness = ({ caughtUp }: Pick<Services, 'caughtUp'>): WaitUntilFresh => {
  const waits = new WeakMap<IncomingMessage, Promise<void>>()
  return (request) => {
    if (!isStored(request.url ?? '')) return undefined
    const before = waits.get(request)
    if (before) return before
    const waiting = caughtUp()
    if (waiting) waits.set(request, waiting)
    return waiting
  }
}
