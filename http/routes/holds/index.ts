import type { Route } from '../route.ts'
import { getHoldRoute } from './get-hold.ts'
import { liftHoldRoute } from './lift-hold.ts'
import { listHoldsRoute } from './list-holds.ts'
import { placeHoldRoute } from './place-hold.ts'

/** Routes of holds, in the order of the API's document. */
export const holdRoutes: readonly Route[] = [placeHoldRoute, listHoldsRoute, getHoldRoute, liftHoldRoute]
