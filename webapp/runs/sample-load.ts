import { ref } from 'vue'
import type { LiveChange } from '../live/live-events.ts'

/** Whether samples are being loaded. Pages of an empty server wait for all of them. */
export const isLoadingSamples = ref(false)

let hasChanged = false

/** Notes that this page loads or removes the samples, and shows what there is after that. */
export const noteSampleChange = (): void => void (hasChanged = true)

/** Whether a change on the server is of the samples that this page loaded or removed: it is no news then. */
export const isOwnSampleChange = ({ runs, baselines, reviews = [] }: LiveChange): boolean =>
  hasChanged && baselines.length === 0 && reviews.length === 0 && runs.every(({ id }) => id.startsWith('sample-'))
