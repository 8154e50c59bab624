import { findHasView } from '../../queries/views.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { sql, statement, type Fragment } from '../../storage/sql.ts'
import { command } from '../command.ts'
import { ownAccount } from '../own-account.ts'
import { Refused } from '../refused.ts'
import type { ViewFields } from './create-view.ts'

/** Fields that are null do not change. */
type ViewChange = {
  readonly [F in keyof ViewFields | 'position']: (ViewFields & { readonly position: number })[F] | null
}

/**
 * Changes a saved view of the viewer's account. `shared` makes it visible to those who see its sets, from then on, or to its
 * owner alone. Refuses: forbidden (no account), not_found.
 */
export const changeView = (
  viewer: Viewer,
  {
    view_id,
    at,
    name,
    path,
    query,
    pinned,
    position,
    shared = null,
  }: ViewChange & { readonly view_id: string; readonly at: number; readonly shared?: boolean | null },
) => {
  const { user_id } = viewer.actor
  const set = (column: Fragment, value: string | number | boolean | null): Fragment[] =>
    value === null ? [] : [sql.fragment`${column} = ${value}`]
  const changes = [
    ...set(sql.fragment`name`, name),
    ...set(sql.fragment`path`, path),
    ...set(sql.fragment`query`, query),
    ...set(sql.fragment`pinned`, pinned),
    ...set(sql.fragment`position`, position),
    ...(shared === null
      ? []
      : [shared ? sql.fragment`shared_at = coalesce(shared_at, ${at})` : sql.fragment`shared_at = NULL`]),
    sql.fragment`updated_at = ${at}`,
  ]
  return command(viewer, {
    facts: { isOwn: findHasView(user_id, view_id) },
    decide: ({ isOwn }) => checkOwn(viewer, isOwn),
    statements:
      changes.length === 1
        ? []
        : [
            statement`
              UPDATE saved_views SET ${sql.join(changes, sql.fragment`, `)}
              WHERE id = ${view_id} AND user_id = ${user_id}`,
          ],
  })
}

/** Returns no events. A view of another account and an unknown one are refused alike. */
export const checkOwn = (viewer: Viewer, isOwn: boolean): [] => {
  ownAccount(viewer)
  if (!isOwn) throw new Refused('not_found', 'saved view not found')
  return []
}
