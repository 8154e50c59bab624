import { refDebounced } from '@vueuse/core'
import { computed, ref, watch, type Ref } from 'vue'
import { useRoute, useRouter, type LocationQuery } from 'vue-router'

/** Time from the last keystroke to the change of the address. */
const TYPING_MS = 200

/** The values of the names in an address that has each once. */
export const filtersIn = <Name extends string>(
  query: LocationQuery,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> =>
  Object.fromEntries(
    names.flatMap((name) => (typeof query[name] === 'string' && query[name] !== '' ? [[name, query[name]]] : [])),
  ) as Partial<Record<Name, string>>

/**
 * The filters of a list, which are stored in the address by their names. Choosing one adds an entry to the history; typing
 * replaces it. A change leads to the page `name`, if that is given, as from a drawer to its list.
 */
export const useAddressFilters = <Name extends string>(names: readonly Name[], name?: string) => {
  const route = useRoute()
  const router = useRouter()
  const filters = computed(() => filtersIn(route.query, names))
  /** Sets parameters of the address; undefined and the empty text remove one. */
  const set = (changes: Readonly<Record<string, string | undefined>>, { replace = false } = {}): void => {
    const query = Object.fromEntries(
      Object.entries({ ...route.query, ...changes }).filter(([, value]) => value !== undefined && value !== ''),
    )
    void router[replace ? 'replace' : 'push'](name === undefined ? { query } : { name, query })
  }
  /** The text of a field that changes a filter while the user types. */
  const typed = (filter: Name): Ref<string> => {
    const text = ref<string>(filters.value[filter] ?? '')
    watch(refDebounced(text, TYPING_MS), (value) => {
      if (value.trim() !== (filters.value[filter] ?? '')) set({ [filter]: value.trim() }, { replace: true })
    })
    // Back and forward change the address, and the field follows.
    watch(filters, (now) => {
      if ((now[filter] ?? '') !== text.value.trim()) text.value = now[filter] ?? ''
    })
    return text
  }
  return {
    filters,
    isFiltered: computed(() => Object.keys(filters.value).length > 0),
    set,
    clear: (): void => set(Object.fromEntries(names.map((each) => [each, undefined]))),
    typed,
  }
}
