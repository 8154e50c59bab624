import type { QueryClient } from '@tanstack/vue-query'
import type { LiveEvent } from './live-events.ts'
import { followInOneTab } from './one-stream.ts'
import { refetcher } from './refetch.ts'
import { setLiveState } from './live-state.ts'

/** Follows the server's changes until the signal aborts. */
export const startLive = (client: QueryClient, signal: AbortSignal): void => {
  const { apply } = refetcher(client)
  const onEvent = (event: LiveEvent): void => {
    if (!signal.aborted) apply(event)
  }
  followInOneTab({ signal, onEvent, onState: (state) => !signal.aborted && setLiveState(state) })
  signal.addEventListener('abort', () => setLiveState('off'), { once: true })
}
