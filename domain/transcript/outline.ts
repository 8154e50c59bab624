import { hash } from 'node:crypto'
import { binCounter, type Bins } from './bins.ts'
import {
  eventFacts,
  LISTED_TYPES,
  readEvent,
  readHeader,
  textFacts,
  type EventFacts,
  type ListedType,
  type TranscriptEvent,
  type TranscriptHeader,
} from './event.ts'
import { lineCutter, type LinePosition, type PlacedLine } from './lines.ts'

// The outline of a transcript: where its events are, and what a list of them shows. It is made once, in one pass, in blocks of a thousand
// events. Its state between two chunks is plain data, so a transcript of any size is read in steps.

/** Increase it when a change makes another outline of the same transcript. */
export const OUTLINE_VERSION = 1

export const BLOCK_EVENTS = 1000

/** Spans that the tree has. The events of further ones are listed, but they are no place in the tree. */
export const MAX_SPANS = 5000

/** Events that are listed at most. */
export const MAX_EVENTS = 5_000_000

/** What the outline has of an event, or of a line that is none. Events are numbered from 1. */
export type OutlineEntry = EventFacts & {
  readonly offset: number
  readonly bytes: number
  readonly type: ListedType
  /** The number of the span in which it is; 0 at the root. */
  readonly span: number
  /** The number of a message, from 0. */
  readonly message: number | null
  /** The line is too long to be read. */
  readonly isSkipped: boolean
}

/** A span: `n` is the number of its event, and `parent` that of the span around it, which is lower; 0 at the root. */
export type OutlineSpan = {
  readonly n: number
  readonly id: string | null
  readonly parent: number
  /** The number of the agent in whose work it is; 0 in none. */
  readonly lane: number
  readonly name: string | null
  readonly kind: string | null
  readonly at: number | null
  ms: number | null
  events: number
  errors: number
  limits: number
}

/** The n-th thousand of events. */
export type OutlineBlock = {
  readonly n: number
  readonly start: number
  readonly firstMessage: number
  readonly entries: readonly OutlineEntry[]
}

export type OutlineTotals = {
  readonly events: number
  readonly messages: number
  readonly types: Readonly<Partial<Record<ListedType, number>>>
  readonly errors: number
  /** Lines that are too long to be read. */
  readonly skipped: number
  /** Events whose span is unknown, or comes later. */
  readonly missing_parents: number
  /** Spans that the tree does not have. */
  readonly more_spans: number
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly cost_usd: number | null
  readonly first_at: number | null
  readonly last_at: number | null
}

/** The state of an outline after some bytes. `tail` are the events after the last whole block. */
export type OutlineState = {
  readonly line: LinePosition
  readonly hasBegun: boolean
  readonly header: TranscriptHeader | null
  readonly totals: OutlineTotals
  readonly tail: Omit<OutlineBlock, 'n'>
  readonly spans: readonly OutlineSpan[]
  readonly bins: Bins | null
}

/** The state before the first byte. */
export const EMPTY_OUTLINE: OutlineState = {
  line: { offset: 0, skippedFrom: null },
  hasBegun: false,
  header: null,
  totals: {
    events: 0,
    messages: 0,
    types: {},
    errors: 0,
    skipped: 0,
    missing_parents: 0,
    more_spans: 0,
    input_tokens: null,
    output_tokens: null,
    cost_usd: null,
    first_at: null,
    last_at: null,
  },
  tail: { start: 0, firstMessage: 0, entries: [] },
  spans: [],
  bins: null,
}

const MAX_ID_CHARACTERS = 100
/** An id as it is kept: a long one as its hash. */
const idOf = (id: unknown): string | null => {
  if (typeof id !== 'string') return null
  return id.length <= MAX_ID_CHARACTERS ? id : hash('sha256', id, 'base64url')
}

const plus = (sum: number | null, value: number | null): number | null => (value === null ? sum : (sum ?? 0) + value)

const SKIPPED = 'This line is too long to be shown'

/** Makes the outline of a transcript from its bytes, on from a state. `take` gets each whole block. */
export const outliner = (from: OutlineState, take: (block: OutlineBlock) => void) => {
  let { hasBegun, header } = from
  const totals = { ...from.totals, types: { ...from.totals.types } }
  const spans = from.spans.map((span) => ({ ...span }))
  const byId = new Map(spans.flatMap((span) => (span.id === null ? [] : [[span.id, span] as const])))
  const byNumber = new Map(spans.map((span) => [span.n, span]))
  const bins = binCounter(from.bins)
  let tail = { ...from.tail, entries: [...from.tail.entries] }
  let lastAt = tail.entries.at(-1)?.at ?? from.totals.last_at

  const add = (entry: OutlineEntry, span: OutlineSpan | undefined): void => {
    if (tail.entries.length === 0)
      tail = { start: entry.offset, firstMessage: totals.messages - (entry.message === null ? 0 : 1), entries: [] }
    tail.entries.push(entry)
    totals.types[entry.type] = (totals.types[entry.type] ?? 0) + 1
    if (entry.isError) totals.errors++
    if (span) {
      span.events++
      if (entry.isError) span.errors++
      if (entry.type === 'limit') span.limits++
    }
    lastAt = entry.at ?? lastAt
    if (lastAt !== null) bins.add(span?.lane ?? 0, lastAt, totals.events, entry.isError)
    if (tail.entries.length < BLOCK_EVENTS) return
    take({ ...tail, n: Math.floor((totals.events - 1) / BLOCK_EVENTS) })
    tail = { start: 0, firstMessage: totals.messages, entries: [] }
  }

  /** Notes a span. Its parent is known already, so that no span is in itself. */
  const addSpan = (event: TranscriptEvent, facts: EventFacts, parent: OutlineSpan | undefined): void => {
    if (spans.length >= MAX_SPANS) {
      totals.more_spans++
      return
    }
    const n = totals.events
    const { kind } = event
    const span: OutlineSpan = {
      n,
      id: idOf(event['id']),
      parent: parent?.n ?? 0,
      lane: kind === 'agent' ? n : (parent?.lane ?? 0),
      name: facts.name,
      kind: typeof kind === 'string' ? kind.slice(0, MAX_ID_CHARACTERS) : null,
      at: facts.at,
      ms: facts.ms,
      events: 0,
      errors: 0,
      limits: 0,
    }
    spans.push(span)
    byNumber.set(n, span)
    if (span.id !== null && !byId.has(span.id)) byId.set(span.id, span)
  }

  const addEvent = (event: TranscriptEvent, line: string, { offset, length }: PlacedLine): void => {
    totals.events++
    const facts = eventFacts(event, line)
    const parent = idOf(event['parent'])
    const span = parent === null ? undefined : byId.get(parent)
    if (parent !== null && !span) totals.missing_parents++
    if (event.type === 'span') addSpan(event, facts, span)
    if (event.type === 'span_end' && span && span.ms === null && span.at !== null && facts.at !== null)
      span.ms = Math.max(0, facts.at - span.at)
    // Those of a span are of the events in it.
    if (event.type !== 'span' && event.type !== 'span_end') {
      totals.input_tokens = plus(totals.input_tokens, facts.input_tokens)
      totals.output_tokens = plus(totals.output_tokens, facts.output_tokens)
      totals.cost_usd = plus(totals.cost_usd, facts.cost_usd)
    }
    if (facts.at !== null) {
      totals.first_at = Math.min(totals.first_at ?? facts.at, facts.at)
      totals.last_at = Math.max(totals.last_at ?? facts.at, facts.at + (facts.ms ?? 0))
    }
    const message = event.type === 'message' ? totals.messages++ : null
    add({ ...facts, offset, bytes: length, type: event.type, span: span?.n ?? 0, message, isSkipped: false }, span)
  }

  const addText = (line: PlacedLine, text: string): void => {
    totals.events++
    const isSkipped = line.bytes === null
    if (isSkipped) totals.skipped++
    add(
      {
        ...textFacts(isSkipped ? SKIPPED : text),
        offset: line.offset,
        bytes: line.length,
        type: 'text',
        span: 0,
        message: null,
        isSkipped,
      },
      undefined,
    )
  }

  const takeLine = (line: PlacedLine): void => {
    if (totals.events >= MAX_EVENTS) return
    const text = line.bytes === null ? '' : line.bytes.toString('utf8')
    const isFirst = !hasBegun
    hasBegun = true
    if (isFirst) {
      header = readHeader(withoutMark(text))
      if (header) return
    }
    if (line.bytes !== null && text.trim() === '') return
    const event = readEvent(isFirst ? withoutMark(text) : text)
    if (event) addEvent(event, text, line)
    else addText(line, text)
  }

  const lines = lineCutter(from.line, takeLine)
  return {
    push: lines.push,
    end: lines.end,
    state: (): OutlineState => ({
      line: lines.position(),
      hasBegun,
      header,
      totals,
      tail,
      spans,
      bins: bins.bins(),
    }),
  }
}

/** A text without the mark of its byte order. */
const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

/** A span as the tree shows it: its counts have what is in the spans within it too. */
export type SpanTotals = OutlineSpan & { readonly depth: number }

/** The spans of an outline with what is in each, at any depth. */
export const spanTotals = (spans: readonly OutlineSpan[]): SpanTotals[] => {
  const all = spans.map((span) => ({ ...span, depth: 0 }))
  const byNumber = new Map(all.map((span) => [span.n, span]))
  // A parent comes before its children, so each of these loops is one pass.
  for (const span of all) span.depth = (byNumber.get(span.parent)?.depth ?? -1) + 1
  for (const span of all.toReversed()) {
    const parent = byNumber.get(span.parent)
    if (!parent) continue
    parent.events += span.events
    parent.errors += span.errors
    parent.limits += span.limits
  }
  return all
}

/** The numbers of a span and of those in it, at any depth. */
export const spansWithin = (spans: readonly OutlineSpan[], n: number): ReadonlySet<number> => {
  const within = new Set([n])
  for (const span of spans) if (within.has(span.parent)) within.add(span.n)
  return within
}

type Row = [
  offset: number,
  bytes: number,
  type: number,
  span: number,
  at: number | null,
  ms: number | null,
  input: number | null,
  output: number | null,
  cost: number | null,
  flags: number,
  name: string | null,
  label: string,
  message: number | null,
  signature: string,
]
const [ERROR, MEDIA, SKIPPED_LINE] = [1, 2, 4]

/** The entries of a block as rows, as they are stored. */
export const rowsOfEntries = (entries: readonly OutlineEntry[]): Row[] =>
  entries.map((entry) => [
    entry.offset,
    entry.bytes,
    LISTED_TYPES.indexOf(entry.type),
    entry.span,
    entry.at,
    entry.ms,
    entry.input_tokens,
    entry.output_tokens,
    entry.cost_usd,
    (entry.isError ? ERROR : 0) + (entry.hasMedia ? MEDIA : 0) + (entry.isSkipped ? SKIPPED_LINE : 0),
    entry.name,
    entry.label,
    entry.message,
    entry.signature,
  ])

/** The entries of stored rows. */
export const entriesOfRows = (rows: readonly Row[]): OutlineEntry[] =>
  rows.map(([offset, bytes, type, span, at, ms, input, output, cost, flags, name, label, message, signature]) => ({
    offset,
    bytes,
    type: LISTED_TYPES[type] ?? 'text',
    span,
    at,
    ms,
    input_tokens: input,
    output_tokens: output,
    cost_usd: cost,
    isError: (flags & ERROR) > 0,
    hasMedia: (flags & MEDIA) > 0,
    isSkipped: (flags & SKIPPED_LINE) > 0,
    name,
    label,
    message,
    signature,
  }))
