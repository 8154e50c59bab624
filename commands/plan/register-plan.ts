import { hash } from 'node:crypto'
import { findLevel } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { Suite } from '../../queries/sets/baselines.ts'
import { insertRows } from '../../storage/sql.ts'
import { command } from '../command.ts'
import { refuseDotNames } from '../dot-names.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { planRegistered, type PlanRegistered } from './events.ts'

/** Maximum size of the text of a plan, in bytes of UTF-8. */
export const MAX_PLAN_BYTES = 64 * 1024

/** The text of a plan as its bytes, with their SHA-256 in hex. Refuses: unprocessable (empty, too long, no Unicode). */
export const planText = (text: string): { readonly bytes: Buffer; readonly sha256: string } => {
  if (!text.isWellFormed()) throw new Refused('unprocessable', 'text must be well-formed Unicode')
  const bytes = Buffer.from(text)
  if (bytes.length === 0 || bytes.length > MAX_PLAN_BYTES)
    throw new Refused('unprocessable', `text must have 1 to ${MAX_PLAN_BYTES} bytes of UTF-8, not ${bytes.length}`)
  return { bytes, sha256: hash('sha256', bytes, 'hex') }
}

type NewPlan = Omit<PlanRegistered['data'], 'plan_bytes' | 'plan_sha256'> & {
  /** The text; or only the SHA-256 of its bytes, and the text is revealed later. */
  readonly text: string | null
  readonly plan_sha256: string | null
}

/** The fields of a plan that depend on each other. */
type PlanShape = Pick<NewPlan, 'text' | 'plan_sha256' | 'metric' | 'comparator' | 'threshold'>

/**
 * The text of a new plan, null if it is revealed later, and its digest. Refuses: unprocessable (neither text nor digest, a
 * digest of another text, only a part of metric, comparator and threshold).
 */
export const contentOfPlan = ({
  text,
  plan_sha256: given,
  metric,
  comparator,
  threshold,
}: PlanShape): { readonly bytes: Buffer | null; readonly sha256: string } => {
  const isPart = (value: unknown): boolean => value !== null
  if ([metric, comparator, threshold].some(isPart) && ![metric, comparator, threshold].every(isPart))
    throw new Refused('unprocessable', 'metric, comparator and threshold: give all three, or none')
  const known = text === null ? null : planText(text)
  if (known && given !== null && known.sha256 !== given)
    throw new Refused('unprocessable', `plan_sha256 is not the SHA-256 of text, which is ${known.sha256}`)
  const sha256 = known?.sha256 ?? given
  if (sha256 === null) throw new Refused('unprocessable', 'text or plan_sha256 is required')
  return { bytes: known?.bytes ?? null, sha256 }
}

/**
 * Registers a plan for the runs of a suite that come after it. Refuses: unprocessable (a dot name, or what `contentOfPlan`
 * refuses), forbidden (no upload level).
 */
export const registerPlan = (viewer: Viewer, { text, plan_sha256: given, ...plan }: NewPlan) =>
  command(viewer, {
    facts: { level: findLevel(viewer, plan) },

    decide({ level }) {
      refuseDotNames(plan)
      const { bytes, sha256 } = contentOfPlan({ text, plan_sha256: given, ...plan })
      refuseWithoutUpload(level)
      const registered = planRegistered({ ...plan, plan_bytes: bytes?.length ?? null, plan_sha256: sha256 })
      return [bytes ? { ...registered, statements: [insertPlanText(plan.plan_id, bytes)] } : registered]
    },
  })

/** Stores the text of a plan, which is no part of the log. */
export const insertPlanText = (plan_id: string, bytes: Buffer) =>
  insertRows('plan_texts', ['plan_id', 'bytes'], [[plan_id, bytes]])

/** Whether a plan exists and belongs to a set. */
export const isOfSet = <P extends Suite>(plan: P | null, { project, suite }: Suite): plan is P =>
  plan !== null && plan.project === project && plan.suite === suite
