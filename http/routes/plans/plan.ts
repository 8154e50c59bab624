import { z } from 'zod'
import { MAX_PLAN_BYTES } from '../../../commands/plan/register-plan.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { findPlan, findPlanSet, type PlanDetail } from '../../../queries/plans/plans.ts'
import type { Suite } from '../../../queries/sets/baselines.ts'
import { mustExist } from '../../errors.ts'
import type { Services } from '../../services.ts'

/** JSON writes a byte of text with at most six characters; the other fields are short. */
export const MAX_BODY_BYTES = 6 * MAX_PLAN_BYTES + 16 * 1024

export const Text = z.string().meta({
  minLength: 1,
  description: `Any text, of at most ${MAX_PLAN_BYTES} bytes of UTF-8. It is stored byte for byte.`,
})

/** Finds a plan. Refuses: not_found. */
export const readPlan = async (reader: Services['reader'], viewer: Viewer, id: string): Promise<PlanDetail> =>
  mustExist(await reader.read(findPlan(viewer, id)), 'plan')

/** The set of a plan never changes, so it can be read before the command that checks the level on it. */
export const readPlanSet = async (reader: Services['reader'], viewer: Viewer, id: string): Promise<Suite> =>
  mustExist(await reader.read(findPlanSet(viewer, id)), 'plan')
