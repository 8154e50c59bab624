import { findRun } from '../../queries/runs/run.ts'
import { findStandingHold } from '../../queries/runs/holds.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { constant } from '../../storage/sql.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { holdPlaced } from './events.ts'

/** What a hold is on: one run, or all runs of a project or of one of its suites, with those to come. */
export type HoldScope = {
  readonly run_id: string | null
  readonly project: string | null
  readonly suite: string | null
}

/**
 * Places a legal hold: no run under it can be deleted or erased until every hold on it is lifted. A set need not have a
 * run yet. Records nothing if a hold of the same scope and reference stands; then `hold_id` is that one. Refuses:
 * not_found (the run).
 */
export const placeHold = (
  viewer: Viewer,
  {
    hold_id,
    reference,
    note,
    ...scope
  }: HoldScope & { readonly hold_id: string; readonly reference: string; readonly note: string | null },
) =>
  command(viewer, {
    facts: {
      run: scope.run_id === null ? constant(null) : findRun(viewer, scope.run_id),
      same: findStandingHold(scope, reference),
    },

    decide({ run, same }) {
      if (scope.run_id !== null && !run) throw new Refused('not_found', 'run not found')
      return same === null ? [holdPlaced({ hold_id, reference, ...scope }, note)] : []
    },

    result: (recorded, { same }) => ({ hold_id: same ?? hold_id, created: recorded.length > 0 }),
  })
