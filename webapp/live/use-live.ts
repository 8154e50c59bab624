import { computed, onScopeDispose, readonly, ref, toValue } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import { concerns } from './live-scope.ts'
import type { LiveScope } from './live-scope.ts'
import type { LiveEvent, LiveState } from './live-events.ts'

const state = ref<LiveState>('off')
const listeners = new Set<(event: LiveEvent) => void>()

/** Sets the state of the stream that this tab follows. */
export const setLiveState = (now: LiveState): void => void (state.value = now)

/** Passes an event to the pages that listen. */
export const tellPages = (event: LiveEvent): void => {
  for (const listener of listeners) listener(event)
}

/** Whether changes arrive by themselves, and whether they have stopped to. */
export const useLiveState = () => ({ state: readonly(state), isLive: computed(() => state.value === 'live') })

/**
 * Calls `onChange` when what a scope names may have changed, until the component is unmounted. A query needs none of
 * this: `meta: { live: scope }` requests it again.
 */
export const useLive = (scope: MaybeRefOrGetter<LiveScope>, onChange: (event: LiveEvent) => void): void => {
  const listener = (event: LiveEvent): void => {
    if (event.kind !== 'changed' || concerns(toValue(scope), event.change)) onChange(event)
  }
  listeners.add(listener)
  onScopeDispose(() => listeners.delete(listener))
}
