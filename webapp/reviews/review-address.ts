import type { RouteLocationNamedRaw } from 'vue-router'

type Suite = { readonly project: string; readonly suite: string }

/** The address of a review queue. */
export const queueAddress = (id: string): RouteLocationNamedRaw => ({ name: 'queue', params: { id } })

/** The address of the cases of a queue, as far as `query` lists them. */
export const queueCasesAddress = (id: string, query: Readonly<Record<string, string>> = {}): RouteLocationNamedRaw => ({
  name: 'queue-cases',
  params: { id },
  query,
})

/** What a form for a new queue has filled in. */
export type QueueDraft = Suite & {
  readonly run?: string | undefined
  readonly metric?: string | null | undefined
  readonly passed?: number | undefined
  readonly failed?: number | undefined
}

/** The address of that form. */
export const newQueueAddress = ({ metric, ...draft }: QueueDraft): RouteLocationNamedRaw => ({
  name: 'new-queue',
  query: Object.fromEntries(
    Object.entries({ ...draft, ...(metric === null ? { target: 'case' } : { metric }) }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  ),
})

/** The address of what a judge is worth: of a metric, or of whole cases; of a run, else of the newest one that it judged. */
export const calibrationAddress = (
  { project, suite }: Suite,
  metric: string | null,
  run?: string,
): RouteLocationNamedRaw => ({
  ...(metric === null
    ? { name: 'case-calibration', params: { project, suite } }
    : { name: 'calibration', params: { project, suite, metric } }),
  query: run === undefined ? {} : { run },
})
