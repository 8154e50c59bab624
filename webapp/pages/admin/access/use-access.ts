import { useQueryClient } from '@tanstack/vue-query'
import { computed, type Ref } from 'vue'
import type { AccessOverview } from '../../../../queries/access/access-overview.ts'
import type { Level } from '../../../../queries/access/levels.ts'
import { api, pathTo, queryOf } from '../../../api/api.ts'
import { useList } from '../../../api/use-list.ts'
import { visibleLine } from '../../../text/visible-text.ts'

export type AccessSet = AccessOverview['sets'][number]
type Scope = Pick<AccessSet, 'project' | 'suite'>
export type AccessFilters = { readonly project?: string; readonly user_id?: string; readonly open?: true }

export const LEVEL_WORDS: Readonly<Record<Level, string>> = { view: 'View', upload: 'Upload', manage: 'Manage' }

/** The text of a scope in an address. */
export const scopeText = ({ project, suite }: Scope): string =>
  JSON.stringify(suite === null ? [project] : [project, suite])

export const scopeName = ({ project, suite }: Scope): string =>
  suite === null ? visibleLine(project) : `${visibleLine(project)} / ${visibleLine(suite) || '(no name)'}`

/** The path of a scope's access routes. Throws for names that no address can have. */
const accessPath = ({ project, suite }: Scope): string =>
  suite === null ? pathTo('sets', project) : pathTo('sets', project, 'suites', suite)

/** Every scope of a list, in as many requests as it has pages. */
export const allSets = async (
  filters: AccessFilters,
  signal: AbortSignal,
  cursor: string | null = null,
): Promise<AccessSet[]> => {
  const page = await api.get<AccessOverview>(`/access${queryOf({ ...filters, limit: 200, cursor })}`, signal)
  return page.next_cursor === null ? page.sets : [...page.sets, ...(await allSets(filters, signal, page.next_cursor))]
}

/** All restrictions and grants, page by page, and how to change them. */
export const useAccess = (filters: Readonly<Ref<AccessFilters>>) => {
  const client = useQueryClient()
  const list = useList({
    key: () => ['access', 'list', filters.value],
    path: ([, , chosen], cursor) => `/access${queryOf({ ...chosen, limit: 100, cursor })}`,
    rows: (page: AccessOverview) => page.sets,
  })
  const refresh = (): Promise<unknown> =>
    Promise.all(
      [['access'], ['users'], ['projects'], ['sets'], ['runs']].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    )
  const then = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work
    } finally {
      await refresh()
    }
  }
  return {
    list,
    totals: computed(() => list.first.value?.totals ?? null),
    /** Restricted scopes without a grant, a likely oversight: of all pages, not only those that are loaded. */
    adminsOnly: computed(() => list.first.value?.admins_only ?? []),
    restrict: (scope: Scope) => then(api.put(`${accessPath(scope)}/restriction`)),
    lift: ({ project, suite }: Scope) => then(api.delete(`/restrictions${queryOf({ project, suite })}`)),
    grant: (scope: Scope, user_id: string, level: Level) =>
      then(api.put(`${accessPath(scope)}/grants/${encodeURIComponent(user_id)}`, { level })),
    revoke: ({ project, suite }: Scope, user_id: string) =>
      then(api.delete(`/grants${queryOf({ project, suite, user_id })}`)),
  }
}
export type Access = ReturnType<typeof useAccess>
