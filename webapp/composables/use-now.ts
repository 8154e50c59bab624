import { createSharedComposable, useTimestamp } from '@vueuse/core'

/** Epoch milliseconds, updated every half minute: one clock for all times on a page. */
export const useNow = createSharedComposable(() => useTimestamp({ interval: 30_000 }))
