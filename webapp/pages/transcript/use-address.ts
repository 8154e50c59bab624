import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { Filters } from './use-transcript.ts'

export const VIEWS = { messages: 'Messages', events: 'Events', differences: 'Differences' } as const
export type View = keyof typeof VIEWS

const TYPE = /^(?:span|span_end|message|model|tool|state|score|limit|error|approval|input|log|other|text)$/

/** What the address of a transcript says: the event, the view, what is searched for and what is filtered. */
export const useAddress = () => {
  const route = useRoute()
  const router = useRouter()
  const textOf = (name: string): string | null => {
    const value = route.query[name]
    return typeof value === 'string' && value !== '' ? value : null
  }
  const numberOf = (name: string): number | null => {
    const value = Number(textOf(name))
    return Number.isInteger(value) && value > 0 ? value : null
  }
  return {
    transcript: computed(() => textOf('t')),
    event: computed(() => numberOf('e')),
    words: computed(() => textOf('q') ?? ''),
    compared: computed(() => textOf('with')),
    view: computed<View>(() => {
      const wanted = textOf('view')
      return wanted === 'messages' || wanted === 'differences' ? wanted : 'events'
    }),
    filters: computed<Filters>(() => {
      const types = textOf('types')
      return { types: types !== null && TYPE.test(types) ? types : null, span: numberOf('span') }
    }),
    /** Changes members of the address; null removes one. */
    set: (changes: Readonly<Record<string, string | number | null>>): void => {
      const query = { ...route.query }
      for (const [name, value] of Object.entries(changes))
        if (value === null || value === '') delete query[name]
        else query[name] = String(value)
      void router.replace({ query })
    },
    /** The address with an event, for others. */
    linkTo: (n: number): string => `${location.origin}${router.resolve({ query: { ...route.query, e: n } }).href}`,
  }
}
export type Address = ReturnType<typeof useAddress>
