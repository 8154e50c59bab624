import type { Route } from '../route.ts'
import { getProjectRoute } from './get-project.ts'
import { getSuiteRoute } from './get-suite.ts'
import { listSetsRoute } from './list-sets.ts'

/** Routes of sets, in the order of the API's document. */
export const setRoutes: readonly Route[] = [listSetsRoute, getProjectRoute, getSuiteRoute]
