import type { RunSet } from '../../domain/sets.ts'
import { findLevel } from '../../queries/access/levels.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { countListedComments } from '../../queries/runs/comments.ts'
import { findRun } from '../../queries/runs/run.ts'
import { MAX_RUN_COMMENTS } from '../annotation/annotation-fields.ts'
import { command } from '../command.ts'
import { newSalt } from '../credential.ts'
import { Refused, refuseWithoutUpload } from '../refused.ts'
import { runCommented } from './events.ts'

/**
 * Adds a comment to a run, or to one of its cases. `run_no`, `set` and `case_key` are of the run as it was read before the lock.
 * Refuses: not_found, forbidden (no upload level), unprocessable (too many comments).
 */
export const commentOnRun = (
  viewer: Viewer,
  {
    comment_id,
    run_id,
    run_no,
    set,
    case_key,
    text,
    salt = newSalt(),
  }: {
    readonly comment_id: string
    readonly run_id: string
    readonly run_no: number
    readonly set: RunSet
    /** Null for the run itself. */
    readonly case_key: string | null
    readonly text: string
    /** Random hex for the digest of the text; drawn if it is not given. */
    readonly salt?: string
  },
) =>
  command(viewer, {
    facts: {
      level: findLevel(viewer, set),
      run: findRun(viewer, run_id),
      // Refused while the read model is being built, because the response reads it.
      comments: countListedComments(run_no),
    },

    decide({ level, run, comments }) {
      // A run that was uploaded again has another number, and perhaps other cases.
      if (run?.run_no !== run_no) throw new Refused('not_found', 'run not found')
      refuseWithoutUpload(level)
      if (comments >= MAX_RUN_COMMENTS)
        throw new Refused('unprocessable', `a run and its cases can have ${MAX_RUN_COMMENTS} comments together`)
      return [runCommented(run_id, { comment_id, run_no, ...set }, { case_key, text }, salt)]
    },
  })
