import type { Moment, Span, TraceRecord } from './records.ts'

/** A trace: its spans in the order of their start, each with the log records that name it, and the other records. */
export type Trace = { readonly id: string; readonly spans: readonly Span[]; readonly logs: readonly Moment[] }

/** The trace of some records. A span that was exported again is the first one. */
export const traceOf = (id: string, records: readonly TraceRecord[]): Trace => {
  const spans = new Map<string, Span>()
  const logs: Moment[] = []
  for (const record of records)
    if ('span' in record && !spans.has(record.span.id)) spans.set(record.span.id, record.span)
  for (const record of records) {
    if (!('log' in record)) continue
    const span = record.of === null ? undefined : spans.get(record.of)
    if (span === undefined) logs.push(record.log)
    else spans.set(span.id, { ...span, moments: [...span.moments, record.log] })
  }
  return { id, spans: [...spans.values()].sort(byStart), logs: logs.sort(byTime) }
}

const compareNanos = (a: string | null, b: string | null): number => {
  const difference = BigInt(a ?? 0) - BigInt(b ?? 0)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

const byStart = (a: Span, b: Span): number => compareNanos(a.start, b.start) || (a.id < b.id ? -1 : 1)
const byTime = (a: Moment, b: Moment): number => compareNanos(a.at, b.at)

/** The spans of a trace as a tree. Roots are those whose parent is in no file, and the first of spans that are their own parents. */
export const orderedSpans = ({ spans }: Trace) => {
  const byId = new Set(spans.map(({ id }) => id))
  const children = new Map<string, Span[]>()
  const roots: Span[] = []
  for (const span of spans) {
    const siblings = span.parent !== null && byId.has(span.parent) ? children.get(span.parent) : roots
    if (siblings === undefined) children.set(span.parent!, [span])
    else siblings.push(span)
  }
  const isReached = new Set<string>()
  const reach = (from: Span): void => {
    for (const waiting = [from]; waiting.length > 0;) {
      const span = waiting.pop()!
      isReached.add(span.id)
      waiting.push(...(children.get(span.id) ?? []).filter(({ id }) => !isReached.has(id)))
    }
  }
  for (const root of [...roots]) reach(root)
  for (const span of spans) {
    if (isReached.has(span.id)) continue
    // It is in a loop: its parent no longer has it.
    children.set(
      span.parent!,
      children.get(span.parent!)!.filter((child) => child !== span),
    )
    roots.push(span)
    reach(span)
  }
  return { roots, childrenOf: ({ id }: Span): readonly Span[] => children.get(id) ?? [] }
}
