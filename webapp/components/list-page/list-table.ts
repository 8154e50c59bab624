import { computed, ref, type Ref } from 'vue'

/** A column of a list. `class` is of its head and its cells, `cell` of its cells alone. */
export type Column = {
  readonly name: string
  readonly head: string
  readonly class?: string
  readonly cell?: string
  /** The name of the order that its head chooses. */
  readonly sort?: string
  readonly width?: string
  /** Where its cells are in the grid of a stacked row, on a narrow page: `row / column`. */
  readonly place?: string
  /** For screen readers only. */
  readonly isHeadHidden?: true
}

/**
 * The rows that the user has selected. `may` says which ones can be; `isPossible`, whether any. A row that is not listed any
 * more is not selected.
 */
export const useSelectedRows = <Row>({
  rows,
  keyOf,
  words,
  may,
  isPossible,
}: {
  readonly rows: Readonly<Ref<readonly Row[]>>
  readonly keyOf: (row: Row) => string
  readonly words: (row: Row) => string
  readonly may: (row: Row) => boolean
  readonly isPossible: Readonly<Ref<boolean>>
}) => {
  const ids = ref<ReadonlySet<string | number>>(new Set())
  const selected = computed(() => rows.value.filter((row) => may(row) && ids.value.has(keyOf(row))))
  const toggle = (row: Row): void => {
    if (!isPossible.value || !may(row)) return
    const next = new Set(ids.value)
    if (!next.delete(keyOf(row))) next.add(keyOf(row))
    ids.value = next
  }
  return { ids, selected, toggle, clear: (): void => void (ids.value = new Set()), words, may, isPossible }
}
export type Selection<Row> = ReturnType<typeof useSelectedRows<Row>>
