import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import type { EventTypes } from '../event-type.ts'

/**
 * Stream `plan/<plan_id>`: a plan that was registered before the runs that follow it. The text itself is no part of the
 * events, only its SHA-256 (hex) and length; `plan_bytes` is null until the text is known. `metric`, `comparator` and
 * `threshold` are all null or all set.
 */
export type PlanRegistered = NewEvent<
  'PlanRegistered',
  {
    readonly case_count: number | null
    readonly comparator: '>=' | '>' | null
    readonly config_digest: string | null
    readonly metric: 'pass_rate' | null
    readonly plan_bytes: number | null
    readonly plan_id: string
    readonly plan_sha256: string
    readonly project: string
    readonly suite: string
    readonly threshold: number | null
  }
>
export type PlanRevealed = NewEvent<'PlanRevealed', { readonly plan_bytes: number; readonly plan_id: string }>
export type PlanWithdrawn = NewEvent<'PlanWithdrawn', { readonly plan_id: string }>
export type PlanEvent = PlanRegistered | PlanRevealed | PlanWithdrawn

// Plans themselves are not cached.
const shared = { tags: () => [], change: 'nothing', erasure: 'facts', digests: false, projections: ['plans'] } as const
export const PLAN_EVENTS = {
  PlanRegistered: shared,
  PlanRevealed: shared,
  PlanWithdrawn: shared,
} as const satisfies EventTypes<PlanEvent>

export const planRegistered = (data: PlanRegistered['data']): PlanRegistered =>
  event(streamOf('plan', data.plan_id), 'PlanRegistered', data)
export const planRevealed = (data: PlanRevealed['data']): PlanRevealed =>
  event(streamOf('plan', data.plan_id), 'PlanRevealed', data)
export const planWithdrawn = (data: PlanWithdrawn['data']): PlanWithdrawn =>
  event(streamOf('plan', data.plan_id), 'PlanWithdrawn', data)
