import { findLevel } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { findPlanState } from '../../queries/plans/plans.ts'
import type { Suite } from '../../queries/sets/baselines.ts'
import { command } from '../command.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { planRevealed } from './events.ts'
import { insertPlanText, isOfSet, planText } from './register-plan.ts'

/**
 * Stores the text of a plan that was registered by its digest. `set` is the set of the plan as it was read before the
 * lock; it never changes. Refuses: not_found, forbidden (no upload level), conflict (the text is known), unprocessable
 * (another text).
 */
export const revealPlan = (
  viewer: Viewer,
  { plan_id, set, text }: { readonly plan_id: string; readonly set: Suite; readonly text: string },
) =>
  command(viewer, {
    facts: { level: findLevel(viewer, set), plan: findPlanState(viewer, plan_id) },

    decide({ level, plan }) {
      if (!isOfSet(plan, set)) throw new Refused('not_found', 'plan not found')
      refuseWithoutUpload(level)
      if (plan.plan_bytes !== null) throw new Refused('conflict', 'the text of this plan is known already')
      const { bytes, sha256 } = planText(text)
      if (sha256 !== plan.plan_sha256)
        throw new Refused('unprocessable', `text has the SHA-256 ${sha256}, but the plan has ${plan.plan_sha256}`)
      const revealed = planRevealed({ plan_bytes: bytes.length, plan_id })
      return [{ ...revealed, statements: [insertPlanText(plan_id, bytes)] }]
    },
  })
