import { useQuery } from '@tanstack/vue-query'
import { computed, ref } from 'vue'
import type { Ref } from 'vue'
import type { RunListItem } from '../../../../queries/runs/run-list.ts'
import type { ProjectList, SuiteList } from '../../../../queries/sets/sets.ts'
import { api, pathTo } from '../../../api/api.ts'
import { isDotName } from '../../../text/dot-names.ts'
import { VALUE_WORDS } from './run-filters.ts'
import type { Field, RunFilters } from './run-filters.ts'
import type { Values } from './suggestions.ts'

/** Maximum number of projects whose suites are requested at once. */
const MAX_PROJECTS = 2

type Rows = Readonly<Ref<readonly RunListItem[]>>

const distinct = (values: ReadonlyArray<string | null>): Values => ({
  all: false,
  values: [...new Set(values)].filter((value) => value !== null).map((value) => ({ value })),
})
const daysOf = (rows: readonly RunListItem[]): Values =>
  distinct(rows.map(({ created_at }) => new Date(created_at).toISOString().slice(0, 10)))

/**
 * The values that a filter suggests. Projects, and suites of the selected project, come from the server and are
 * requested after `load` is called. Tags, branches, people and days have no list, so they come from the runs that are
 * shown.
 */
export const useFilterValues = (filters: Readonly<Ref<RunFilters>>, rows: Rows) => {
  const isEnabled = ref(false)
  const project = computed(() => filters.value.project)
  const projects = useQuery({
    queryKey: ['projects'],
    queryFn: ({ signal }) => api.get<ProjectList>('/projects', signal),
    meta: { live: { baselines: false, held: true } },
    enabled: isEnabled,
  })
  // Without a selected project, these are all projects, unless there are too many to request the suites of each.
  const suiteProjects = computed(() => {
    if (project.value !== undefined) return isDotName(project.value) ? [] : [project.value]
    const all = projects.data.value?.projects ?? []
    return all.length > MAX_PROJECTS ? [] : all.map((each) => each.project).filter((name) => !isDotName(name))
  })
  const suites = useQuery({
    queryKey: ['projects', 'suites', suiteProjects],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        suiteProjects.value.map((each) => api.get<SuiteList>(`${pathTo('projects', each)}/suites`, signal)),
      )
      const counts = new Map<string, number>()
      for (const { suite, run_count } of lists.flatMap((list) => list.suites))
        counts.set(suite, (counts.get(suite) ?? 0) + run_count)
      return [...counts].map(([value, count]) => ({ value, count }))
    },
    enabled: () => isEnabled.value && suiteProjects.value.length > 0,
  })

  const valuesOf = (field: Field): Values => {
    const words = VALUE_WORDS[field]
    if (words) return { all: true, values: Object.keys(words).map((value) => ({ value })) }
    switch (field) {
      case 'project':
        return projects.data.value
          ? {
              all: true,
              values: projects.data.value.projects.map(({ project: value, run_count: count }) => ({ value, count })),
            }
          : distinct(rows.value.map((run) => run.project))
      case 'suite':
        return suites.data.value
          ? { all: project.value !== undefined, values: suites.data.value }
          : distinct(rows.value.map((run) => run.suite))
      case 'tag':
        return distinct(rows.value.flatMap(({ tags }) => tags))
      case 'branch':
        return distinct(rows.value.map(({ git_branch }) => git_branch))
      case 'actor':
        return distinct(rows.value.flatMap(({ actor, uploaded_by }) => [actor, uploaded_by]))
      case 'since':
      case 'until':
        return daysOf(rows.value)
      // These fields are in VALUE_WORDS, so their values were returned above.
      case 'status':
      case 'origin':
      case 'finished':
      case 'cached':
        return distinct([])
    }
  }
  return { valuesOf, load: (): void => void (isEnabled.value = true) }
}
