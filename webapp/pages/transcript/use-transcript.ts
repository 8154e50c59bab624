import { useQuery } from '@tanstack/vue-query'
import { computed, shallowReactive, toValue, watch, type MaybeRefOrGetter } from 'vue'
import type { TranscriptEvents } from '../../../queries/transcripts/list-events.ts'
import type { TranscriptOutline } from '../../../queries/transcripts/list-outline.ts'
import type { TranscriptSummary } from '../../../queries/transcripts/summary.ts'
import { api, pathTo, queryOf } from '../../api/api.ts'
import { keptEvents } from './kept-events.ts'

export type OutlineItem = TranscriptOutline['events'][number]
export type ListedEvent = TranscriptEvents['events'][number]
export type TranscriptName = { readonly id: string; readonly sha256: string }
export type Filters = { readonly types: string | null; readonly span: number | null }

/** The address of a transcript below the API. */
export const transcriptPath = ({ id, sha256 }: TranscriptName, ...rest: readonly string[]): string =>
  pathTo('runs', id, 'transcripts', sha256, ...rest)

/** How long a page waits before it asks again for an outline that is being made. */
const AGAIN_MS = 1_000

/** What a transcript has. While its outline is being made, it is asked for again. */
export const useSummary = (name: MaybeRefOrGetter<TranscriptName | null>) =>
  useQuery(
    computed(() => {
      const wanted = toValue(name)
      return {
        queryKey: ['transcript', wanted?.id, wanted?.sha256],
        enabled: wanted !== null,
        staleTime: Infinity,
        refetchInterval: ({ state }: { state: { data: TranscriptSummary | undefined } }) =>
          state.data?.complete === false ? AGAIN_MS : false,
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          api.get<TranscriptSummary>(transcriptPath(wanted ?? { id: '', sha256: '' }), signal),
      }
    }),
  )

/** Lines of the outline that one request fetches. */
const PAGE = 200
/** Events whose texts one request fetches, and requests for those in view: an answer has at most a megabyte. */
const TEXTS = 24
const MAX_REQUESTS = 6

/**
 * The list of events that a filter leaves. Without one, a row is the event of its number, and its line is fetched when it is near; with one, the
 * list is fetched from its beginning, as far as is scrolled to.
 */
export const useEvents = (name: () => TranscriptName | null, filters: () => Filters, total: () => number) => {
  /** Lines by the number of their event. */
  const lines = shallowReactive(new Map<number, OutlineItem>())
  /** The numbers of the filtered events that are known, in order. */
  const filtered = shallowReactive<{ ns: number[]; next: number | null }>({ ns: [], next: 1 })
  const texts = keptEvents()
  const asked = new Set<string>()

  /** Another text is another list of rows. */
  const list = computed(() => [name()?.sha256, filters().types, filters().span].join(' '))
  const isFiltered = computed(() => filters().types !== null || filters().span !== null)
  const count = computed(() => (isFiltered.value ? filtered.ns.length : total()))
  const numberAt = (row: number): number => (isFiltered.value ? (filtered.ns[row] ?? 0) : row + 1)
  /** The row of an event, or of the next one that the filter leaves. */
  const rowOf = (n: number): number => {
    if (!isFiltered.value) return Math.min(n, total()) - 1
    const found = filtered.ns.findIndex((each) => each >= n)
    return found < 0 ? filtered.ns.length - 1 : found
  }

  const fetchOnce = async <T>(path: string): Promise<T | null> => {
    if (asked.has(path)) return null
    asked.add(path)
    return api.get<T>(path).catch(() => {
      // The next look at it asks again.
      asked.delete(path)
      return null
    })
  }
  const fetchLines = async (from: number, limit: number): Promise<TranscriptOutline | null> => {
    const wanted = name()
    if (!wanted) return null
    const page = await fetchOnce<TranscriptOutline>(
      `${transcriptPath(wanted, 'outline')}${queryOf({ from, limit, ...filters() })}`,
    )
    for (const item of page?.events ?? []) lines.set(item.n, item)
    return page
  }

  const extend = async (upTo: number): Promise<void> => {
    while (isFiltered.value && filtered.next !== null && filtered.ns.length <= upTo) {
      const { types, span } = filters()
      const from = filtered.next
      const page = await fetchLines(from, 10 * PAGE)
      const now = filters()
      // Another call may have added these meanwhile.
      if (!page || filtered.next !== from || now.types !== types || now.span !== span) return
      filtered.ns = [...filtered.ns, ...page.events.map(({ n }) => n)]
      filtered.next = page.next
    }
  }

  /** Fetches the lines of rows. */
  const show = async (rows: readonly number[]): Promise<void> => {
    if (isFiltered.value) return extend((rows.at(-1) ?? 0) + PAGE)
    const pages = new Set(rows.map((row) => Math.floor(Math.max(0, row) / PAGE)))
    await Promise.all([...pages].map((page) => fetchLines(page * PAGE + 1, PAGE)))
  }
  /** Fetches the texts of events in view. */
  const showTexts = async (ns: readonly number[]): Promise<void> => {
    for (const n of ns) texts.touch(n)
    const wanted = name()
    let last = 0
    for (let requests = 0; wanted && requests < MAX_REQUESTS; requests++) {
      const from = ns.find((n) => n > last && !texts.has(n))
      if (from === undefined) return
      const missing = ns.filter((n) => n >= from && !texts.has(n)).slice(0, TEXTS)
      // Without a filter, the events between two that are in view come too.
      const limit = isFiltered.value ? missing.length : Math.min(TEXTS, (missing.at(-1) ?? from) - from + 1)
      const query = queryOf({ from, limit, ...filters() })
      const page = await api.get<TranscriptEvents>(`${transcriptPath(wanted, 'events')}${query}`).catch(() => null)
      if (!page || name()?.sha256 !== wanted.sha256) return
      for (const event of page.events) texts.add(event)
      last = page.events.at(-1)?.n ?? from
    }
  }
  /** Fetches one event, and the line of it. */
  const showEvent = async (n: number): Promise<void> => {
    const wanted = name()
    if (!wanted || n < 1) return
    const one = queryOf({ from: n, limit: 1 })
    const [line, event] = await Promise.all([
      lines.has(n) ? null : api.get<TranscriptOutline>(`${transcriptPath(wanted, 'outline')}${one}`).catch(() => null),
      texts.has(n) ? null : api.get<TranscriptEvents>(`${transcriptPath(wanted, 'events')}${one}`).catch(() => null),
    ])
    for (const item of line?.events ?? []) lines.set(item.n, item)
    for (const found of event?.events ?? []) texts.add(found)
  }

  watch(
    [() => name()?.sha256, () => filters().types, () => filters().span],
    ([sha256], [shownBefore]) => {
      asked.clear()
      filtered.ns = []
      filtered.next = 1
      if (shownBefore !== undefined && shownBefore !== sha256) {
        lines.clear()
        texts.clear()
      }
      void extend(PAGE)
    },
    { immediate: true },
  )
  // What is outlined since is asked for again.
  watch(total, () => {
    asked.clear()
    if (isFiltered.value && filtered.next === null) {
      filtered.next = (filtered.ns.at(-1) ?? 0) + 1
      void extend(filtered.ns.length + PAGE)
    }
  })

  return {
    list,
    count,
    numberAt,
    rowOf,
    lines,
    texts,
    show,
    showTexts,
    showEvent,
    isFiltered,
    isWhole: () => filtered.next === null,
  }
}
export type EventsView = ReturnType<typeof useEvents>
