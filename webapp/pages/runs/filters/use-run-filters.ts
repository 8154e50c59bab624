import { shallowRef, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { FIELDS, readFilters, withFilters, withoutFilter } from './run-filters.ts'
import type { Field, RunFilters } from './run-filters.ts'

/** The filters, which the address holds. Choosing makes a new entry of the history: going back undoes it. */
export const useRunFilters = () => {
  const route = useRoute()
  const router = useRouter()
  const filters = shallowRef<RunFilters>(readFilters(route.query))
  const name = route.name
  watch(
    () => route.query,
    (query) => {
      // On its way to another page the address is already that page's.
      if (route.name === name) filters.value = readFilters(query)
    },
  )

  const go = (wanted: RunFilters): void => {
    const others = Object.fromEntries(
      Object.entries(route.query).filter(([key]) => !FIELDS.some((field) => field === key)),
    )
    void router.push({ query: { ...wanted, ...others } })
  }
  return {
    filters,
    set: (wanted: RunFilters): void => go(withFilters(filters.value, wanted)),
    remove: (field: Field): void => go(withoutFilter(filters.value, field)),
    clear: (): void => go({}),
  }
}
