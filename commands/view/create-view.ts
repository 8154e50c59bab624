import { countViews, MAX_VIEWS } from '../../queries/views.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { statement } from '../../storage/sql.ts'
import { command } from '../command.ts'
import { ownAccount } from '../own-account.ts'
import { Refused } from '../refused.ts'

/** What a saved view shows: a page of the web app and its query, under a name. */
export type ViewFields = {
  readonly name: string
  readonly path: string
  readonly query: string
  readonly pinned: boolean
}

/**
 * Saves a view of the viewer's account, after its other views. Records no event: a view has no history, and the log
 * would keep its text after the account is deleted. Refuses: forbidden (no account), conflict (too many views).
 */
export const createView = (
  viewer: Viewer,
  { view_id, at, name, path, query, pinned }: ViewFields & { readonly view_id: string; readonly at: number },
) => {
  const { user_id } = viewer.actor
  return command(viewer, {
    facts: { count: countViews(user_id) },
    decide({ count }) {
      ownAccount(viewer)
      if (count >= MAX_VIEWS)
        throw new Refused('conflict', `an account has at most ${MAX_VIEWS} saved views: delete one first`)
      return []
    },
    statements: [
      statement`
        INSERT INTO saved_views (id, user_id, name, path, query, pinned, position, created_at, updated_at)
        SELECT ${view_id}, ${user_id}, ${name}, ${path}, ${query}, ${pinned}, coalesce(max(position), 0) + 1, ${at}, ${at}
        FROM saved_views WHERE user_id = ${user_id}`,
    ],
  })
}
