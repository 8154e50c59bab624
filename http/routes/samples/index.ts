import type { Route } from '../route.ts'
import { importSamplesRoute } from './import-samples.ts'
import { removeSamplesRoute } from './remove-samples.ts'

/** Routes of sample runs, in the order of the API's document. */
export const sampleRoutes: readonly Route[] = [importSamplesRoute, removeSamplesRoute]
