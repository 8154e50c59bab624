import { findHasView, findIsShared } from '../../queries/views.ts'
import { reaches, type Viewer } from '../../queries/access/viewer.ts'
import { statement } from '../../storage/sql.ts'
import { command } from '../command.ts'
import { checkOwn } from './change-view.ts'

/**
 * Deletes a saved view of the viewer's account. Of an admin with the scope `admin`, it also removes a view that another
 * account shared from the list of all; its owner keeps it. Refuses: forbidden (no account), not_found.
 */
export const deleteView = (viewer: Viewer, { view_id }: { readonly view_id: string }) => {
  const { user_id } = viewer.actor
  return command(viewer, {
    facts: { isOwn: findHasView(user_id, view_id), isShared: findIsShared(view_id) },
    decide({ isOwn, isShared, currentAccess: { sees_all, scope } }) {
      const mayRemove = sees_all && reaches(scope, 'admin')
      return checkOwn(viewer, isOwn || (mayRemove && isShared))
    },
    statements: [
      statement`DELETE FROM saved_views WHERE id = ${view_id} AND user_id = ${user_id}`,
      // `decide` lets only the owner and admins get here.
      statement`UPDATE saved_views SET shared_at = NULL WHERE id = ${view_id} AND user_id <> ${user_id}`,
    ],
  })
}
