import type { Query, QueryClient } from '@tanstack/vue-query'
import { isOwnSampleChange } from '../runs/sample-load.ts'
import { concerns } from './live-scope.ts'
import type { LiveEvent } from './live-events.ts'
import { isOwnWriteRecent } from './own-writes.ts'

/** The shortest time between two requests of one query, so that an import of many runs does not cause as many requests. */
const MIN_INTERVAL_MS = 2_000

/** The longest wait after an event that concerns every client, so that they do not all ask at the same moment. */
const SPREAD_MS = 2_000

/**
 * Marks the queries stale that an event concerns, by their `meta.live`, and requests those that are shown: at once, but
 * each at most every two seconds. A hidden tab requests them when it is shown again. What is `held` is requested only
 * after a write of this page: its lists have changed for it anyway, so a notice of news would be of no use.
 */
export const refetcher = (client: QueryClient, random: () => number = Math.random) => {
  const requestedAt = new Map<string, number>()
  const waiting = new Map<string, ReturnType<typeof setTimeout>>()

  const request = (query: Query): void => {
    waiting.delete(query.queryHash)
    requestedAt.set(query.queryHash, performance.now())
    void client.refetchQueries({ queryKey: query.queryKey, exact: true, type: 'active' })
  }
  const renew = (query: Query): void => {
    const isHeld = query.meta?.live?.held === true
    const isVisible = document.visibilityState !== 'hidden'
    const isOwn = isHeld && isVisible && isOwnWriteRecent()
    // A held query that is stale has a notice, even if it waits for its turn.
    if (!isOwn) query.invalidate()
    if ((isHeld && !isOwn) || waiting.has(query.queryHash)) return
    // When the tab is shown again, vue-query requests what is stale.
    if (!isVisible) return
    const rest = (requestedAt.get(query.queryHash) ?? -Infinity) + MIN_INTERVAL_MS - performance.now()
    if (rest <= 0) request(query)
    else waiting.set(query.queryHash, setTimeout(request, rest, query))
  }
  const renewAll = (): void => {
    for (const query of client.getQueryCache().getAll()) if (query.meta?.live) renew(query)
  }

  return {
    apply: (event: LiveEvent): void => {
      if (event.kind !== 'changed') return void setTimeout(renewAll, random() * SPREAD_MS)
      const isShown = isOwnSampleChange(event.change)
      for (const query of client.getQueryCache().getAll()) {
        const live = query.meta?.live
        if (live && concerns(live, event.change) && !(live.held && isShown)) renew(query)
      }
    },
  }
}
