import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { readCaseFilters, FILTERS, type FilterName } from '../../../cases/case-filters.ts'

/**
 * The filters of a run's cases, which are stored in the address only. Choosing a filter adds a history entry; typing
 * replaces the current entry.
 */
export const useCaseFilters = () => {
  const route = useRoute()
  const router = useRouter()
  const filters = computed(() => readCaseFilters(route.query))
  const isFiltered = computed(() => Object.keys(filters.value).length > 0)

  /** Sets a filter, or removes it if the value is null. */
  const set = (name: FilterName, value: string | null, { typing = false } = {}): void => {
    const query = { ...route.query, [name]: value === null || value === '' ? undefined : value }
    void router[typing ? 'replace' : 'push']({ query })
  }
  const clear = (): void => {
    const query = Object.fromEntries(
      Object.entries(route.query).filter(([name]) => !FILTERS.some((filter) => filter === name)),
    )
    void router.push({ query })
  }
  return { filters, isFiltered, set, clear }
}
