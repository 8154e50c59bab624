import { api, queryOf } from '../../api/api.ts'
import { announce } from '../../composables/use-announcer.ts'
import type { TranscriptOutline } from '../../../queries/transcripts/list-outline.ts'
import type { TranscriptSummary } from '../../../queries/transcripts/summary.ts'
import { TYPE_WORDS } from './event-words.ts'
import type { Folds } from './use-folds.ts'
import { transcriptPath, type EventsView, type Filters, type TranscriptName } from './use-transcript.ts'

type Steps = {
  readonly name: () => TranscriptName | null
  readonly summary: () => TranscriptSummary | undefined
  readonly filters: () => Filters
  readonly chosen: () => number
  readonly events: EventsView
  readonly folds: Folds
  readonly found: () => readonly number[]
  /** Chooses an event. */
  readonly choose: (n: number) => void
  /** Shows an event in the list of events, whatever was shown before. */
  readonly goTo: (n: number) => void
}

/** From the chosen event to others: the next one, an error, a match, out of a step and into one. */
export const useSteps = ({ name, summary, filters, chosen, events, folds, found, choose, goTo }: Steps) => {
  /** The errors from an event on, in pages; those of the span that is shown. */
  async function* errorsFrom(from: number): AsyncGenerator<TranscriptOutline['events']> {
    const wanted = name()
    for (let next: number | null = from; wanted && next !== null;) {
      const query = queryOf({ types: 'error', from: next, limit: 2000, span: filters().span })
      const page: TranscriptOutline = await api.get(`${transcriptPath(wanted, 'outline')}${query}`)
      yield page.events
      next = page.next
    }
  }
  const orSay = (work: Promise<void>): void => void work.catch(() => announce('The errors could not be loaded'))

  return {
    step: (by: 1 | -1): void => {
      const row = events.rowOf(chosen())
      const next = folds.next(row, by)
      if (next === row) return announce(by > 0 ? 'No later event' : 'No earlier event')
      const n = events.numberAt(next)
      const item = events.lines.get(n)
      announce([`Event ${n}`, item && TYPE_WORDS[item.type], item?.name, item?.label].filter(Boolean).join(', '))
      choose(n)
    },
    match: (by: 1 | -1): void => {
      const all = found()
      if (all.length === 0) return announce('No event has this text')
      const after = by > 0 ? all.find((n) => n > chosen()) : all.findLast((n) => n < chosen())
      goTo(after ?? (by > 0 ? all[0] : all.at(-1)) ?? 1)
    },
    nextError: (): void =>
      orSay(
        (async () => {
          for await (const [first] of errorsFrom(chosen() + 1)) if (first) return goTo(first.n)
          announce('No later error')
        })(),
      ),
    previousError: (): void =>
      orSay(
        (async () => {
          // Errors are listed forwards only: those before are listed until the chosen event.
          let last: number | null = null
          for await (const errors of errorsFrom(1)) {
            last = errors.findLast(({ n }) => n < chosen())?.n ?? last
            if (errors.some(({ n }) => n >= chosen())) break
          }
          if (last === null) announce('No earlier error')
          else goTo(last)
        })(),
      ),
    out: (): void => {
      const span = events.lines.get(chosen())?.span ?? 0
      if (span > 0) choose(span)
      else announce('This event is in no step')
    },
    into: (): void => {
      if (summary()?.spans.some(({ n, events: inside }) => n === chosen() && inside > 0)) choose(chosen() + 1)
      else announce('This event has no events in it')
    },
  }
}
