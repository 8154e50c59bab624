import { useQuery } from '@tanstack/vue-query'
import { computed, ref, type Ref } from 'vue'
import type { RunListItem } from '../../../../queries/runs/run-list.ts'
import type { RunFacets } from '../../../../queries/runs/run-facets.ts'
import { api } from '../../../api/api.ts'
import { VALUE_WORDS, type Field, type RunFilters } from './run-filters.ts'
import type { Values } from './suggestions.ts'

type Rows = Readonly<Ref<readonly RunListItem[]>>

const distinct = (values: ReadonlyArray<string | null>): Values => ({
  all: false,
  values: [...new Set(values)].filter((value) => value !== null).map((value) => ({ value })),
})
const daysOf = (rows: readonly RunListItem[]): Values =>
  distinct(rows.map(({ created_at }) => new Date(created_at).toISOString().slice(0, 10)))

/**
 * The values that a filter suggests. Projects, suites and providers come from the server with their number of runs, and are
 * requested after `load` is called. Tags, branches, people and days have no list, so they come from the runs that are
 * shown.
 */
export const useFilterValues = (filters: Readonly<Ref<RunFilters>>, rows: Rows) => {
  const isEnabled = ref(false)
  const facets = useQuery({
    queryKey: ['run-facets'],
    queryFn: ({ signal }) => api.get<RunFacets>('/run-facets', signal),
    meta: { live: { baselines: false, held: true } },
    enabled: isEnabled,
  })
  const suites = computed(() => {
    const { project } = filters.value
    return facets.data.value?.suites.filter(({ projects }) => project === undefined || projects.includes(project))
  })

  const valuesOf = (field: Field): Values => {
    const words = VALUE_WORDS[field]
    if (words) return { all: true, values: Object.keys(words).map((value) => ({ value })) }
    switch (field) {
      case 'project':
        return facets.data.value
          ? {
              all: true,
              values: facets.data.value.projects.map(({ project, run_count }) => ({
                value: project,
                count: run_count,
              })),
            }
          : distinct(rows.value.map((run) => run.project))
      case 'suite':
        return suites.value
          ? {
              all: filters.value.project !== undefined,
              // The number of runs is that of all projects of the suite.
              values: suites.value.map(({ suite, projects, run_count }) =>
                filters.value.project === undefined || projects.length === 1
                  ? { value: suite, count: run_count }
                  : { value: suite },
              ),
            }
          : distinct(rows.value.map((run) => run.suite))
      case 'tag':
        return distinct(rows.value.flatMap(({ tags }) => tags))
      case 'provider':
        return facets.data.value
          ? {
              all: false,
              // The number of runs is that of all projects and suites.
              values: facets.data.value.providers.map(({ provider, run_count }) =>
                filters.value.project === undefined && filters.value.suite === undefined
                  ? { value: provider, count: run_count }
                  : { value: provider },
              ),
            }
          : distinct(rows.value.flatMap(({ providers }) => providers ?? []))
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
