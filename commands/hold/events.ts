import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'

/**
 * Stream `hold/<hold_id>`: a legal hold on one run, or on a suite of a project, or on a whole project (then `suite` is
 * null), with all runs to come. A hold on a run has neither project nor suite.
 */
export type HoldPlaced = NewEvent<
  'HoldPlaced',
  {
    readonly hold_id: string
    readonly project: string | null
    readonly reference: string
    readonly run_id: string | null
    readonly suite: string | null
  }
>
export type HoldLifted = NewEvent<'HoldLifted', { readonly hold_id: string; readonly reference: string }>
export type HoldEvent = HoldPlaced | HoldLifted

export const holdPlaced = (data: HoldPlaced['data']): HoldPlaced =>
  event(streamOf('hold', data.hold_id), 'HoldPlaced', data)
export const holdLifted = (data: HoldLifted['data']): HoldLifted =>
  event(streamOf('hold', data.hold_id), 'HoldLifted', data)
