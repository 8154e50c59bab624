import type { Route } from '../route.ts'
import { getPlanRoute } from './get-plan.ts'
import { listPlansRoute } from './list-plans.ts'
import { registerPlanRoute } from './register-plan.ts'
import { revealPlanRoute } from './reveal-plan.ts'
import { withdrawPlanRoute } from './withdraw-plan.ts'

/** Routes of plans, in the order of the API's document. */
export const planRoutes: readonly Route[] = [
  listPlansRoute,
  registerPlanRoute,
  getPlanRoute,
  revealPlanRoute,
  withdrawPlanRoute,
]
