import type { Route } from '../route.ts'
import { pinBaselineRoute } from './pin-baseline.ts'
import { unpinBaselineByNameRoute } from './unpin-baseline-by-name.ts'
import { unpinBaselineRoute } from './unpin-baseline.ts'

/** Routes of baselines, in the order of the API's document. */
export const baselineRoutes: readonly Route[] = [pinBaselineRoute, unpinBaselineRoute, unpinBaselineByNameRoute]
