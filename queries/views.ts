import { z } from 'zod'
import { rfc3339 } from '../domain/wire.ts'
import { any, constant, mapped, maybeOne, one, sql, type Fragment } from '../storage/sql.ts'
import type { Query } from '../storage/storage.ts'
import type { Viewer } from './access/viewer.ts'

// Saved views: a name for a page of the web app and its filters. Only their owner sees them, an admin does not. A view
// is text that its owner chose. It may name run sets that the owner can no longer see; opening it then finds nothing.

/** Maximum number of views of an account. */
export const MAX_VIEWS = 200

const Row = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  query: z.string(),
  pinned: z.boolean(),
  position: z.number(),
  created_at: z.number(),
  updated_at: z.number(),
})

/** A saved view. Views are listed in the order of `position`. */
export const SavedView = Row.extend({ created_at: z.string(), updated_at: z.string() }).meta({ id: 'SavedView' })
export type SavedView = z.infer<typeof SavedView>

const views = (user_id: string, where: Fragment) => sql.type(Row)`
  SELECT id, name, path, query, pinned, position, created_at, updated_at FROM saved_views
  WHERE user_id = ${user_id} AND ${where} ORDER BY position, id`

const savedView = ({ created_at, updated_at, ...view }: z.infer<typeof Row>): SavedView => ({
  ...view,
  created_at: rfc3339(created_at),
  updated_at: rfc3339(updated_at),
})

/** The viewer's own views, in their order. */
export const listOwnViews = ({ actor: { user_id } }: Viewer): Query<SavedView[]> =>
  user_id === null ? constant([]) : mapped(any(views(user_id, sql.fragment`TRUE`)), (rows) => rows.map(savedView))

/** One of the viewer's own views. */
export const findOwnView = ({ actor: { user_id } }: Viewer, view_id: string): Query<SavedView | null> =>
  user_id === null
    ? constant(null)
    : mapped(maybeOne(views(user_id, sql.fragment`id = ${view_id}`)), (row) => row && savedView(row))

const Count = z.object({ n: z.number() })

const count = (where: Fragment): Query<number> =>
  mapped(one(sql.type(Count)`SELECT count(*) AS n FROM saved_views WHERE ${where}`), ({ n }) => n)

/** How many views an account has. */
export const countViews = (user_id: string | null): Query<number> =>
  user_id === null ? constant(0) : count(sql.fragment`user_id = ${user_id}`)

/** Whether an account has this view. */
export const findHasView = (user_id: string | null, view_id: string): Query<boolean> =>
  user_id === null
    ? constant(false)
    : mapped(count(sql.fragment`user_id = ${user_id} AND id = ${view_id}`), (n) => n > 0)
