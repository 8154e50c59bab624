import { ref, watch } from 'vue'

/** Delay from a keystroke to the request. */
const DELAY_MS = 200

type Options<Name extends string> = {
  /** The words of the filter `q`. */
  readonly words: () => string
  /** The filter that a text names; null if it is a text to search for. */
  readonly parse: (text: string) => { readonly name: Name; readonly value: string } | null
  readonly set: (name: NoInfer<Name> | 'q', value: string, options?: { typing?: boolean }) => void
}

/** The text of a search field: words, which are searched after a pause, or a filter such as `tag:even` and Enter. */
export const useTypedFilter = <Name extends string>({ words, parse, set }: Options<Name>) => {
  const text = ref(words())
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(words, (q) => {
    if (q !== text.value.trim()) text.value = q
  })
  const search = (): void => set('q', text.value.trim(), { typing: true })
  const type = (): void => {
    clearTimeout(timer)
    if (parse(text.value) === null) timer = setTimeout(search, DELAY_MS)
  }
  const enter = (): void => {
    clearTimeout(timer)
    const typed = parse(text.value)
    if (!typed) return search()
    text.value = words()
    set(typed.name, typed.value)
  }
  const empty = (): void => {
    clearTimeout(timer)
    text.value = ''
  }
  return { text, type, enter, empty }
}
