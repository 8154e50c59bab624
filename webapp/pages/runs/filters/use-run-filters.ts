import { shallowRef, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { FIELDS, readFilters, withFilters, withoutFilter, type Field, type RunFilters } from './run-filters.ts'

/** The filters, which are stored in the address. Choosing one adds a history entry, so that going back undoes it. */
export const useRunFilters = () => {
  const route = useRoute()
  const router = useRouter()
  const filters = shallowRef<RunFilters>(readFilters(route.query))
  const name = route.name
  watch(
    () => route.query,
    (query) => {
      // While another page opens, the address already belongs to that page.
      if (route.name === name) filters.value = readFilters(query)
    },
  )

  const go = (newFilters: RunFilters): void => {
    const others = Object.fromEntries(
      Object.entries(route.query).filter(([key]) => !FIELDS.some((field) => field === key)),
    )
    void router.push({ query: { ...newFilters, ...others } })
  }
  return {
    filters,
    set: (added: RunFilters): void => go(withFilters(filters.value, added)),
    remove: (field: Field): void => go(withoutFilter(filters.value, field)),
    clear: (): void => go({}),
  }
}
