import { z } from 'zod'
import { rfc3339 } from '../domain/wire.ts'
import { viewSetsOf, type ViewSets } from '../domain/view-sets.ts'
import { any, constant, mapped, maybeOne, one, sql, type Fragment } from '../storage/sql.ts'
import type { Query, Reader } from '../storage/storage.ts'
import { listAllAccess, setAccess } from './access/set-access.ts'
import type { Viewer } from './access/viewer.ts'
import { visible } from './access/visible.ts'

// Saved views: a name for a page of the web app and its filters. Only their owner sees them, an admin does not, unless the
// owner shared them: then those who may see all sets and runs that the address names find them too. A view is text that its
// owner chose. It may name run sets that the owner can no longer see; opening it then finds nothing.

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
  shared_at: z.number().nullable(),
})

/** A saved view. Views are listed in the order of `position`. `shared_at` is null if only its owner sees it. */
export const SavedView = Row.extend({
  created_at: z.string(),
  updated_at: z.string(),
  shared_at: z.string().nullable(),
}).meta({ id: 'SavedView' })
export type SavedView = z.infer<typeof SavedView>

const views = (user_id: string, where: Fragment) => sql.type(Row)`
  SELECT id, name, path, query, pinned, position, created_at, updated_at, shared_at FROM saved_views
  WHERE user_id = ${user_id} AND ${where} ORDER BY position, id`

const savedView = ({ created_at, updated_at, shared_at, ...view }: z.infer<typeof Row>): SavedView => ({
  ...view,
  created_at: rfc3339(created_at),
  updated_at: rfc3339(updated_at),
  shared_at: shared_at === null ? null : rfc3339(shared_at),
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

/** Whether a view is shared by any account. */
export const findIsShared = (view_id: string): Query<boolean> =>
  mapped(count(sql.fragment`id = ${view_id} AND shared_at IS NOT NULL`), (n) => n > 0)

/** Shared views that are listed, the newest first, and how many are read at once to find them. */
const MAX_SHARED = 200

const SharedRow = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  query: z.string(),
  shared_at: z.number(),
  shared_by: z.string(),
})

/** A view that another account shared. */
export const SharedView = SharedRow.extend({ shared_at: z.string() }).meta({ id: 'SharedView' })
export type SharedView = z.infer<typeof SharedView>

type SharedPlace = Pick<z.infer<typeof SharedRow>, 'shared_at' | 'id'>

const sharedByOthers = (user_id: string, after: SharedPlace | undefined) => sql.type(SharedRow)`
  SELECT saved_views.id, name, path, query, shared_at, coalesce(principals.label, saved_views.user_id) AS shared_by
  FROM saved_views LEFT JOIN principals ON principals.id = saved_views.user_id
  WHERE shared_at IS NOT NULL AND user_id <> ${user_id} AND ${
    after
      ? sql.fragment`(shared_at < ${after.shared_at} OR (shared_at = ${after.shared_at} AND saved_views.id > ${after.id}))`
      : sql.fragment`TRUE`
  }
  ORDER BY shared_at DESC, saved_views.id LIMIT ${MAX_SHARED}`

const RunId = z.object({ id: z.string() })
const NamedSet = z.object({ project: z.string(), suite: z.string().nullable() })

/** A view that names more runs or sets is listed for its owner alone. */
const MAX_NAMED = 50
const namesFew = ({ sets, suites, runs }: ViewSets): boolean =>
  Math.max(sets.length, suites.length, runs.length) <= MAX_NAMED
const listed = (values: readonly string[]): Fragment =>
  values.length === 0
    ? sql.fragment`NULL`
    : sql.join(
        values.map((value) => sql.fragment`${value}`),
        sql.fragment`, `,
      )

/** The views that other accounts shared and all of whose sets and runs the viewer may see. */
export const listSharedViews = async (reader: Reader, viewer: Viewer): Promise<SharedView[]> => {
  const { user_id } = viewer.actor
  if (user_id === null) return []
  const found: SharedView[] = []
  // Hidden views take no place of those that are listed, so the reading goes on until there are enough.
  for (let after: SharedPlace | undefined; ;) {
    const rows = await reader.read(any(sharedByOthers(user_id, after)))
    found.push(...(await seenOf(reader, viewer, rows)))
    after = rows.at(-1)
    if (rows.length < MAX_SHARED || found.length >= MAX_SHARED) return found.slice(0, MAX_SHARED)
  }
}

/** Those of the views all of whose sets and runs the viewer may see. */
const seenOf = async (
  reader: Reader,
  viewer: Viewer,
  shared: ReadonlyArray<z.infer<typeof SharedRow>>,
): Promise<SharedView[]> => {
  const rows = shared.map((row) => ({ row, bound: viewSetsOf(row) })).filter(({ bound }) => namesFew(bound))
  const runs = [...new Set(rows.flatMap(({ bound }) => bound.runs))]
  const suites = [...new Set(rows.flatMap(({ bound }) => bound.suites))]
  const projects = [
    ...new Set(
      rows.flatMap(({ bound }) => bound.sets.flatMap(({ project, suite }) => (suite === null ? [project] : []))),
    ),
  ]
  const { found, named, ...access } = await reader.readAll({
    found:
      runs.length === 0
        ? constant<Array<z.infer<typeof RunId>>>([])
        : any(sql.type(RunId)`SELECT id FROM runs WHERE id IN (${listed(runs)}) AND ${visible(viewer, 'runs')}`),
    named:
      suites.length + projects.length === 0
        ? constant<Array<z.infer<typeof NamedSet>>>([])
        : any(sql.type(NamedSet)`
            SELECT project, suite FROM sets
            WHERE project IS NOT NULL AND (suite IN (${listed(suites)}) OR project IN (${listed(projects)}))`),
    ...listAllAccess(viewer),
  })
  const { isRestricted, myLevel } = setAccess(access)
  const seen = new Set(found.map(({ id }) => id))
  const mayOpen = (project: string, suite: string | null): boolean =>
    viewer.sees_all || !isRestricted(project, suite) || myLevel(project, suite) !== null
  /** A project of which every suite is hidden is hidden too. */
  const hasSeenSuite = (project: string): boolean => {
    const own = named.filter((set) => set.project === project)
    return own.length === 0 || own.some(({ suite }) => mayOpen(project, suite))
  }
  const isSeen = ({ sets, suites: bare, runs: ids, forAdmins }: ViewSets): boolean =>
    (!forAdmins || viewer.sees_all) &&
    ids.every((id) => seen.has(id)) &&
    sets.every(({ project, suite }) => mayOpen(project, suite) && (suite !== null || hasSeenSuite(project))) &&
    // The address does not say of which project, so all suites of that name must be seen.
    named.every(({ project, suite }) => suite === null || !bare.includes(suite) || mayOpen(project, suite))
  return rows.flatMap(({ row, bound }) => (isSeen(bound) ? [{ ...row, shared_at: rfc3339(row.shared_at) }] : []))
}
