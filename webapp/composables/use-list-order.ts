import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { oneOf } from '../components/states/choices.ts'

export type Direction = 'asc' | 'desc'
export type ListOrder = { readonly sort: string; readonly order: Direction }

/**
 * The order of a list, which is stored in the address. `directions` has the direction in which each column is sorted
 * first. `fallback` is the order without parameters. UnknownChoices.vue names values that are none of `choices`.
 */
export const useListOrder = (directions: Readonly<Record<string, Direction>>, fallback: ListOrder) => {
  const route = useRoute()
  const router = useRouter()
  const text = (name: string): string | undefined => {
    const value = [route.query[name]].flat()[0]
    return value === null || value === '' ? undefined : value
  }
  const order = computed((): ListOrder => {
    const sort = text('sort') ?? fallback.sort
    const direction = text('order')
    if (!Object.hasOwn(directions, sort)) return fallback
    if (direction === 'asc' || direction === 'desc') return { sort, order: direction }
    return { sort, order: sort === fallback.sort ? fallback.order : (directions[sort] ?? 'asc') }
  })
  const isDefault = computed(() => order.value.sort === fallback.sort && order.value.order === fallback.order)
  const choices = [oneOf('sort', 'order', Object.keys(directions)), oneOf('order', 'direction', ['asc', 'desc'])]

  const go = (next: ListOrder): void => {
    const isFallback = next.sort === fallback.sort && next.order === fallback.order
    const { sort: _, order: __, ...others } = route.query
    void router.push({ query: isFallback ? others : { ...others, sort: next.sort, order: next.order } })
  }
  /** Sorts by a column, then in the other direction, then as by default. */
  const toggle = (sort: string): void => {
    const first = directions[sort] ?? 'asc'
    if (order.value.sort !== sort) return go({ sort, order: first })
    const other: Direction = order.value.order === 'asc' ? 'desc' : 'asc'
    return go(order.value.order === first || sort === fallback.sort ? { sort, order: other } : fallback)
  }
  const reset = (): void => go(fallback)
  return { order, isDefault, choices, toggle, reset }
}
