import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import { statement } from '../../storage/sql.ts'

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

/** The note is prose, so it is stored next to the log. */
export const holdPlaced = (data: HoldPlaced['data'], note: string | null = null): HoldPlaced => ({
  ...event(streamOf('hold', data.hold_id), 'HoldPlaced', data),
  statements:
    note === null ? [] : [statement`INSERT INTO hold_notes (hold_id, note) VALUES (${data.hold_id}, ${note})`],
})
export const holdLifted = (data: HoldLifted['data']): HoldLifted =>
  event(streamOf('hold', data.hold_id), 'HoldLifted', data)
