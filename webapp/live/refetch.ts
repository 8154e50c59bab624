import type { Query, QueryClient } from '@tanstack/vue-query'
import { concerns } from './live-scope.ts'
import type { LiveEvent } from './live-events.ts'

/** The shortest time between two requests of one query, so that an import of many runs does not cause as many requests. */
const MIN_INTERVAL_MS = 2_000

/** The longest wait after an event that concerns every client, so that they do not all ask at the same moment. */
const SPREAD_MS = 2_000

/**
 * Marks the queries stale that an event concerns, by their `meta.live`, and requests those that are shown: at once, but
 * each at most every two seconds. A hidden tab requests them when it is shown again.
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
    query.invalidate()
    if (query.meta?.live?.held || waiting.has(query.queryHash)) return
    // When the tab is shown again, vue-query requests what is stale.
    if (document.visibilityState === 'hidden') return
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
      for (const query of client.getQueryCache().getAll())
        if (query.meta?.live && concerns(query.meta.live, event.change)) renew(query)
    },
  }
}
