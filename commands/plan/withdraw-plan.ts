import { findLevel } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findPlanState } from '../../queries/plans/plans.ts'
import type { Suite } from '../../queries/sets/baselines.ts'
import { command } from '../command.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { planWithdrawn } from './events.ts'
import { isOfSet } from './register-plan.ts'

/**
 * Withdraws a plan: later runs do not follow it; runs that follow it already keep their link. Records nothing if it is
 * withdrawn. `set` is the set of the plan as it was read before the lock; it never changes. Refuses: not_found, forbidden
 * (no upload level).
 */
export const withdrawPlan = (viewer: Viewer, { plan_id, set }: { readonly plan_id: string; readonly set: Suite }) =>
  command(viewer, {
    facts: { level: findLevel(viewer, set), plan: findPlanState(viewer, plan_id) },

    decide({ level, plan }) {
      if (!isOfSet(plan, set)) throw new Refused('not_found', 'plan not found')
      refuseWithoutUpload(level)
      return plan.withdrawn_at === null ? [planWithdrawn({ plan_id })] : []
    },
  })
