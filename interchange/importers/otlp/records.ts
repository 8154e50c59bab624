import { isRawNumber } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Losses } from '../../document/losses.ts'
import { jsonElements } from '../../read/json/json-elements.ts'
import { objectLines } from '../../read/json/object-lines.ts'
import { wholeJson } from '../../read/json/whole-json.ts'
import type { Look } from '../../read/look.ts'
import { objectAt, objectsAt, textAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { otlpItems } from '../../read/otlp-protobuf.ts'

/** A moment of a span: an event of its own, or a log record that names it. Times are in nanoseconds, as text. */
export type Moment = {
  readonly name: string
  readonly at: string | null
  readonly attributes: JsonObject
  /** What a log record says. */
  readonly body: Json
  readonly rest: JsonObject
}

export type Span = {
  /** Empty if the source has none. */
  readonly id: string
  readonly parent: string | null
  readonly name: string
  readonly start: string | null
  readonly end: string | null
  readonly attributes: JsonObject
  readonly moments: readonly Moment[]
  /** The message of its error; null if it has none. */
  readonly error: string | null
  /** Members without a meaning of their own here, with the scope. */
  readonly rest: JsonObject
  readonly resource: JsonObject
}

/** A span, or a log record, of a trace. */
export type TraceRecord =
  | { readonly trace: string; readonly span: Span }
  | { readonly trace: string; readonly log: Moment; readonly of: string | null }

const KINDS = ['resourceSpans', 'resourceLogs'] as const

/** Which of traces and log records a file begins with; null for a file of another kind. */
export const otlpContent = (look: Look): 'resourceSpans' | 'resourceLogs' | null =>
  look.kind === 'protobuf'
    ? (KINDS.find((kind) => kind === look.root) ?? null)
    : look.kind === 'json' || look.kind === 'lines'
      ? (KINDS.find((kind) => look.keys.has(kind)) ?? null)
      : null

/** Reads the spans and log records of a file: JSON, JSON lines, or protobuf. Throws `SourceRefused`. */
export const otlpRecords = async function* (file: SourceFile, look: Look, losses: Losses): AsyncGenerator<TraceRecord> {
  for await (const { kind, value } of groups(file, look, losses)) yield* recordsIn(kind, value, losses)
}

type Group = { readonly kind: (typeof KINDS)[number]; readonly value: JsonObject }

const groups = async function* (file: SourceFile, look: Look, losses: Losses): AsyncGenerator<Group> {
  const inside = (value: JsonObject): Group[] =>
    KINDS.flatMap((kind) => objectsAt(value, kind).map((item) => ({ kind, value: item })))
  if (look.kind === 'protobuf') {
    const kind = otlpContent(look) ?? 'resourceSpans'
    for (const value of otlpItems(await wholeJson(file), kind)) yield { kind, value }
  } else if (look.kind === 'lines') {
    for await (const { value } of objectLines(file.bytes(), losses, 'message')) yield* inside(value)
  } else {
    const shape = { arrays: KINDS.map((kind) => [kind]) }
    for await (const { array, value } of jsonElements(file.bytes(), shape, losses)) {
      const kind = KINDS.find((one) => one === array)
      if (kind !== undefined && isObject(value)) yield { kind, value }
    }
  }
}

const recordsIn = function* (kind: (typeof KINDS)[number], group: JsonObject, losses: Losses): Generator<TraceRecord> {
  const { attributes, ...about } = objectAt(group, 'resource') ?? {}
  const resource: JsonObject = {
    ...flat(attributes),
    ...(hasMembers(about) && { '(resource)': about }),
    ...(isOdd(group['schemaUrl']) && { '(schemaUrl)': group['schemaUrl'] }),
  }
  const isTraces = kind === 'resourceSpans'
  for (const scoped of objectsAt(group, isTraces ? 'scopeSpans' : 'scopeLogs')) {
    const { scope, schemaUrl } = scoped
    const from: JsonObject = {
      ...(isObject(scope) && {
        scope: { ...scope, ...(scope['attributes'] && { attributes: flat(scope['attributes']) }) },
      }),
      ...(schemaUrl !== undefined && { schemaUrl }),
    }
    for (const item of objectsAt(scoped, isTraces ? 'spans' : 'logRecords')) {
      const trace = idIn(item['traceId'], 16)
      if (trace === null)
        losses.add('left_out', `${kind}.*`, item, isTraces ? 'a span of no trace' : 'a record of no trace')
      else if (isTraces) yield { trace, span: spanOf(item, from, resource) }
      else yield { trace, log: logOf(item, from), of: idIn(item['spanId'], 8) }
    }
  }
}

const spanOf = (item: JsonObject, from: JsonObject, resource: JsonObject): Span => {
  const { traceId: _, spanId, parentSpanId, name, attributes, events, links, status, ...others } = item
  const { startTimeUnixNano: start, endTimeUnixNano: end, ...rest } = others
  const { code, ...more } = objectAt({ status: status ?? null }, 'status') ?? {}
  const isError = code === 2 || code === 'STATUS_CODE_ERROR'
  const text = textAt(more, 'message')
  const [id, parent] = [idIn(spanId, 8), idIn(parentSpanId, 8)]
  return {
    id: id ?? '',
    parent,
    name: typeof name === 'string' ? name : '',
    start: nanos(start),
    end: nanos(end),
    attributes: flat(attributes),
    moments: objectsAt({ events: events ?? null }, 'events').map(momentOf),
    error: isError ? (text ?? 'the span has the status of an error') : null,
    rest: {
      ...rest,
      ...(id === null && isOdd(spanId) && { spanId }),
      ...(parent === null && isOdd(parentSpanId) && { parentSpanId }),
      ...(!isError && (text !== null || isOdd(code)) && { status: { ...more, ...(isOdd(code) && { code }) } }),
      ...(Array.isArray(links) &&
        links.length > 0 && {
          links: (links as Json[]).map((link) =>
            isObject(link) ? { ...link, ...(link['attributes'] && { attributes: flat(link['attributes']) }) } : link,
          ),
        }),
      ...from,
    },
    resource,
  }
}

const momentOf = ({ timeUnixNano: at, name, attributes, ...rest }: JsonObject): Moment => ({
  name: typeof name === 'string' ? name : '',
  at: nanos(at),
  attributes: flat(attributes),
  body: null,
  rest,
})

const logOf = (item: JsonObject, from: JsonObject): Moment => {
  const { traceId: _, spanId: __, timeUnixNano, observedTimeUnixNano, body, attributes, eventName, ...rest } = item
  const { 'event.name': named, ...own } = flat(attributes)
  const time = nanos(timeUnixNano)
  const seen = nanos(observedTimeUnixNano)
  const name = typeof eventName === 'string' && eventName !== '' ? eventName : named
  return {
    name: typeof name === 'string' ? name : '',
    at: time ?? seen,
    attributes: own,
    body: plain(body),
    rest: { ...rest, ...from, ...(time !== null && seen !== null && time !== seen && { observedTimeUnixNano: seen }) },
  }
}

/** The attributes of a list of keys and values. A key that comes again gets a number. */
const flat = (list: Json | undefined): JsonObject => {
  const found: Record<string, Json> = {}
  const counts = new Map<string, number>()
  for (const { key, value } of objectsAt({ list: list ?? null }, 'list')) {
    const name = typeof key === 'string' ? key : ''
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    const own = count === 1 ? name : `${name}~${count}`
    Object.defineProperty(found, own, { value: plain(value), enumerable: true, writable: true, configurable: true })
  }
  return found
}

/** A value of OTLP as plain JSON. */
const plain = (value: Json | undefined): Json => {
  if (!isObject(value) || isRawNumber(value)) return value ?? null
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value
  if (intValue !== undefined) return wholeNumber(intValue)
  const simple = stringValue ?? boolValue ?? doubleValue
  if (simple !== undefined) return simple
  if (isObject(arrayValue)) return objectsAt(arrayValue, 'values').map(plain)
  if (isObject(kvlistValue)) return flat(kvlistValue['values'])
  return bytesValue ?? null
}

const wholeNumber = (value: Json): Json => {
  const number = typeof value === 'string' ? Number(value) : value
  return Number.isSafeInteger(number) ? number : value
}

/** An id in hex; it may be base64 in JSON that was written by a library of protobuf. Null for none, and for zeros. */
const idIn = (value: Json | undefined, bytes: number): string | null => {
  if (typeof value !== 'string') return null
  const hex = value.length === 2 * bytes ? value.toLowerCase() : Buffer.from(value, 'base64').toString('hex')
  return /^[0-9a-f]+$/.test(hex) && hex.length === 2 * bytes && !/^0+$/.test(hex) ? hex : null
}

/** Whether a member is there, and not the default of its field. */
const isOdd = (value: Json | undefined): value is Json =>
  value !== undefined && !/^(?:null|"?0*"?|"STATUS_CODE_UNSET")$/.test(JSON.stringify(value))

const nanos = (value: Json | undefined): string | null => {
  const text = isRawNumber(value) ? value.rawJSON : typeof value === 'number' ? value.toFixed(0) : value
  return typeof text === 'string' && /^[1-9]\d{0,18}$/.test(text) ? text : null
}

const hasMembers = (value: object): boolean => Object.keys(value).length > 0
