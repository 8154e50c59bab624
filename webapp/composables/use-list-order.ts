import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'

export type Direction = 'asc' | 'desc'
export type ListOrder = { readonly sort: string; readonly order: Direction }

/**
 * The order of a list, which is stored in the address. `directions` has the direction in which each column is sorted
 * first. `fallback` is the order without parameters. An order that the list does not have is shown as `unknown`.
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
    if (!(sort in directions)) return fallback
    if (direction === 'asc' || direction === 'desc') return { sort, order: direction }
    return { sort, order: sort === fallback.sort ? fallback.order : (directions[sort] ?? 'asc') }
  })
  const isDefault = computed(() => order.value.sort === fallback.sort && order.value.order === fallback.order)
  /** A value of the address that is no order of this list. */
  const unknown = computed((): string | null => {
    const [sort, direction] = [text('sort'), text('order')]
    if (sort !== undefined && !(sort in directions)) return sort
    return direction === undefined || direction === 'asc' || direction === 'desc' ? null : direction
  })

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
  return { order, isDefault, unknown, toggle, reset }
}
