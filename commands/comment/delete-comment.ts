import { findHoldOfRun } from '../../queries/runs/holds.ts'
import { findCommentAuthor, type OpenServer } from '../../queries/runs/comments.ts'
import { findRun } from '../../queries/runs/run.ts'
import { reaches, type Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { underHold } from '../hold/under-hold.ts'
import { Refused } from '../refused.ts'
import { commentDeleted } from './events.ts'

/**
 * Deletes a comment on a run that the viewer can see, or on one of its cases. Refuses: not_found (the run, the comment), forbidden
 * (neither its author nor an admin), conflict (the run is under legal hold).
 */
export const deleteComment = (
  viewer: Viewer,
  {
    run_id,
    comment_id,
    isOpen = false,
  }: { readonly run_id: string; readonly comment_id: string } & Partial<OpenServer>,
) =>
  command(viewer, {
    facts: {
      run: findRun(viewer, run_id),
      comment: findCommentAuthor(comment_id),
      hold: findHoldOfRun(run_id),
    },

    decide({ run, comment, hold, currentAccess: { scope } }) {
      if (!run) throw new Refused('not_found', 'run not found')
      if (comment?.run_no !== run.run_no) throw new Refused('not_found', 'comment not found')
      const { user_id, credential_id } = viewer.actor
      const isAuthor = comment.commented_by !== null && comment.commented_by === (user_id ?? credential_id)
      if (!isAuthor && !isOpen && !reaches(scope, 'admin'))
        throw new Refused('forbidden', 'only its author and admins may delete a comment')
      if (hold) throw underHold(hold)
      const { run_no, project, suite } = run
      return [commentDeleted(run_id, { comment_id, run_no, project, suite })]
    },
  })
