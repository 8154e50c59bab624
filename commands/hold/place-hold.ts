import { findRun } from '../../queries/runs/run.ts'
import { findStandingHold } from '../../queries/runs/holds.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { constant } from '../../storage/sql.ts'
import { isName } from '../../domain/run/readers.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import { Refused } from '../refused.ts'
import { holdPlaced } from './events.ts'
import { nameProblem, noteProblem } from './hold-fields.ts'

/** What a hold is on: one run, or all runs of a project or of one of its suites, with those to come. */
export type HoldScope = {
  readonly run_id: string | null
  readonly project: string | null
  readonly suite: string | null
}

/**
 * Places a legal hold: no run under it can be deleted or erased until every hold on it is lifted. A set need not have a
 * run yet. Records nothing if a hold of the same scope and reference stands; then `hold_id` is that one. Refuses:
 * unprocessable (a project or suite that no run can have, a long note), not_found (the run).
 */
export const placeHold = (
  viewer: Viewer,
  {
    hold_id,
    reference,
    note,
    note_salt = newSalt(),
    ...scope
  }: HoldScope & {
    readonly hold_id: string
    readonly reference: string
    readonly note: string | null
    /** Random hex for the digest of the note; drawn if it is not given. */
    readonly note_salt?: string
  },
) => {
  const { run_id, project, suite } = scope
  const problems = [
    ['project', project === null ? null : nameProblem(project)],
    ['suite', suite === null ? null : nameProblem(suite)],
    ['note', note === null ? null : noteProblem(note)],
  ] as const
  const isSound = (run_id === null || isName(run_id)) && problems.every(([, problem]) => problem === null)
  return command(viewer, {
    // A text that is no name is never looked for: not every database accepts it.
    facts: {
      run: run_id !== null && isSound ? findRun(viewer, run_id) : constant(null),
      same: isSound ? findStandingHold(scope, reference) : constant(null),
    },

    decide({ run, same }) {
      for (const [field, problem] of problems)
        if (problem !== null) throw new Refused('unprocessable', `${field}: ${problem}`)
      if (run_id !== null && !run) throw new Refused('not_found', 'run not found')
      const stored = note === null || note === '' ? null : { text: note, salt: note_salt }
      return same === null ? [holdPlaced({ hold_id, reference, ...scope }, stored)] : []
    },

    result: (recorded, { same }) => ({ hold_id: same ?? hold_id, created: recorded.length > 0 }),
  })
}
