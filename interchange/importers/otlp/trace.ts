import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import type { Losses } from '../../document/losses.ts'
import type { Moment, Span, TraceRecord } from './records.ts'

/** A trace: its spans in the order of their start, each with the log records that name it, and the other records. */
export type Trace = { readonly id: string; readonly spans: readonly Span[]; readonly logs: readonly Moment[] }

/**
 * The trace of some records. A span without an id gets one. One that was exported again is the first one; `losses` records it
 * if it is another.
 */
export const traceOf = (id: string, records: readonly TraceRecord[], losses: Losses): Trace => {
  const spans = new Map<string, Span>()
  const ofSpans = new Map<string, Moment[]>()
  const logs: Moment[] = []
  for (const [index, record] of records.entries()) {
    if (!('span' in record)) continue
    const own = record.span.id === '' ? { ...record.span, id: `span-${index + 1}` } : record.span
    const known = spans.get(own.id)
    if (known === undefined) {
      spans.set(own.id, own)
      ofSpans.set(own.id, [...own.moments])
    } else if (canonicalJson(known) !== canonicalJson(own))
      losses.add('left_out', 'resourceSpans.*.scopeSpans', own, 'a span with the id of another one of its trace')
  }
  for (const record of records) if ('log' in record) (ofSpans.get(record.of ?? '') ?? logs).push(record.log)
  const whole = [...spans.values()].map((span) => ({ ...span, moments: ofSpans.get(span.id)!.sort(byTime) }))
  return { id, spans: whole.sort(byStart), logs: logs.sort(byTime) }
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
      for (const child of children.get(span.id) ?? []) if (!isReached.has(child.id)) waiting.push(child)
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
