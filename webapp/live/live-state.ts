import { computed, readonly, ref } from 'vue'
import type { LiveState } from './live-events.ts'

const state = ref<LiveState>('off')

/** Sets the state of the stream that this tab follows. */
export const setLiveState = (now: LiveState): void => void (state.value = now)

/** Whether changes arrive by themselves, and whether they have stopped to. */
export const useLiveState = () => ({ state: readonly(state), isLive: computed(() => state.value === 'live') })
