import { isRawNumber } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Losses } from '../../document/losses.ts'
import { jsonElements } from '../../read/json/json-elements.ts'
import { objectLines } from '../../read/json/object-lines.ts'
import { wholeJson } from '../../read/json/whole-json.ts'
import type { Look } from '../../read/look.ts'
import { textAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { otlpItems } from '../../read/otlp-protobuf.ts'
import { attributesIn, objectsIn, plainValue, recordMembers, recordOdd } from './values.ts'

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
  | { readonly trace: string; readonly log: Moment; readonly of: string | null; readonly resource: JsonObject }

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
  if (look.kind === 'protobuf') {
    const kind = otlpContent(look) ?? 'resourceSpans'
    for (const value of otlpItems(await wholeJson(file), kind, losses)) yield { kind, value }
  } else if (look.kind === 'lines') {
    for await (const { value: line } of objectLines(file.bytes(), losses, 'message')) {
      for (const kind of KINDS) for (const value of objectsIn(line[kind], kind, losses)) yield { kind, value }
      recordRest(line, losses)
    }
  } else {
    const shape = { arrays: KINDS.map((kind) => [kind]) }
    const onRest = (rest: Json): void => {
      // The arrays are empty in it.
      for (const kind of KINDS) objectsIn(isObject(rest) ? rest[kind] : rest, kind, losses)
      if (isObject(rest)) recordRest(rest, losses)
    }
    for await (const { array, value } of jsonElements(file.bytes(), shape, losses, onRest)) {
      const kind = KINDS.find((one) => one === array)
      if (kind !== undefined) for (const group of objectsIn([value], kind, losses)) yield { kind, value: group }
    }
  }
}

/** Records what a message has apart from traces and log records, such as metrics. */
const recordRest = ({ resourceSpans: _, resourceLogs: __, ...rest }: JsonObject, losses: Losses): void => {
  for (const [key, value] of Object.entries(rest))
    if (value !== null) losses.add('left_out', key, value, 'no traces and no log records')
}

const recordsIn = function* (kind: (typeof KINDS)[number], group: JsonObject, losses: Losses): Generator<TraceRecord> {
  const isTraces = kind === 'resourceSpans'
  const [lists, items] = isTraces ? (['scopeSpans', 'spans'] as const) : (['scopeLogs', 'logRecords'] as const)
  const { resource: about, schemaUrl: schema, [lists]: scopes, ...others } = group
  const path = `${kind}.*`
  recordMembers(others, path, losses)
  const { attributes, ...more } = oneObject(about, `${path}.resource`, losses)
  const resource: JsonObject = {
    ...attributesIn(attributes, `${path}.resource.attributes`, losses),
    ...(hasMembers(more) && { '(resource)': more }),
    ...(isOdd(schema) && { '(schemaUrl)': schema }),
  }
  const inScopes = `${path}.${lists}`
  for (const { scope, schemaUrl, [items]: found, ...unknown } of objectsIn(scopes, inScopes, losses)) {
    recordMembers(unknown, `${inScopes}.*`, losses)
    const inScope = `${inScopes}.*.scope`
    const from: JsonObject = {
      ...(scope !== undefined && {
        scope: withAttributes(oneObject(scope, inScope, losses), inScope, losses),
      }),
      ...(schemaUrl !== undefined && { schemaUrl }),
    }
    const at = `${inScopes}.*.${items}`
    for (const item of objectsIn(found, at, losses)) {
      const trace = idIn(item['traceId'], 16)
      if (trace === null) losses.add('left_out', path, item, isTraces ? 'a span of no trace' : 'a record of no trace')
      else if (isTraces) yield { trace, span: spanOf(item, from, resource, `${at}.*`, losses) }
      else yield { trace, log: logOf(item, from, `${at}.*`, losses), of: idIn(item['spanId'], 8), resource }
    }
  }
}

/** An object, or an empty one for anything else, which is recorded. */
const oneObject = (value: Json | undefined, path: string, losses: Losses): JsonObject => {
  if (isObject(value) && !isRawNumber(value)) return value
  recordOdd(value, path, losses)
  return {}
}

/** An object with its attributes as plain JSON. */
const withAttributes = (value: JsonObject, path: string, losses: Losses): JsonObject => ({
  ...value,
  ...(value['attributes'] && { attributes: attributesIn(value['attributes'], `${path}.attributes`, losses) }),
})

const spanOf = (item: JsonObject, from: JsonObject, resource: JsonObject, path: string, losses: Losses): Span => {
  const { traceId: _, spanId, parentSpanId, name, attributes, events, links, status, ...others } = item
  const { startTimeUnixNano: start, endTimeUnixNano: end, ...rest } = others
  const { code, ...more } = oneObject(status, `${path}.status`, losses)
  const isError = code === 2 || code === 'STATUS_CODE_ERROR'
  const text = textAt(more, 'message')
  const [id, parent] = [idIn(spanId, 8), idIn(parentSpanId, 8)]
  const { message: __, ...unknown } = more
  if (isError) recordMembers(unknown, `${path}.status`, losses)
  if (typeof name !== 'string') recordOdd(name, `${path}.name`, losses)
  const allLinks = objectsIn(links, `${path}.links`, losses)
  return {
    id: id ?? '',
    parent,
    name: typeof name === 'string' ? name : '',
    start: nanos(start),
    end: nanos(end),
    attributes: attributesIn(attributes, `${path}.attributes`, losses),
    moments: objectsIn(events, `${path}.events`, losses).map((event) => momentOf(event, `${path}.events.*`, losses)),
    error: isError ? (text ?? 'the span has the status of an error') : null,
    rest: {
      ...rest,
      ...unread({ startTimeUnixNano: start, endTimeUnixNano: end }),
      ...(id === null && isOdd(spanId) && { spanId }),
      ...(parent === null && isOdd(parentSpanId) && { parentSpanId }),
      ...(!isError && (hasMembers(more) || isOdd(code)) && { status: { ...more, ...(isOdd(code) && { code }) } }),
      ...(allLinks.length > 0 && {
        links: allLinks.map((link) => withAttributes(link, `${path}.links.*`, losses)),
      }),
      ...from,
    },
    resource,
  }
}

const momentOf = (event: JsonObject, path: string, losses: Losses): Moment => {
  const { timeUnixNano: at, name, attributes, ...rest } = event
  if (typeof name !== 'string') recordOdd(name, `${path}.name`, losses)
  return {
    name: typeof name === 'string' ? name : '',
    at: nanos(at),
    attributes: attributesIn(attributes, `${path}.attributes`, losses),
    body: null,
    rest: { ...rest, ...unread({ timeUnixNano: at }) },
  }
}

const logOf = (item: JsonObject, from: JsonObject, path: string, losses: Losses): Moment => {
  const { traceId: _, spanId, timeUnixNano, observedTimeUnixNano, body, attributes, eventName, ...rest } = item
  const { 'event.name': named, ...own } = attributesIn(attributes, `${path}.attributes`, losses)
  const time = nanos(timeUnixNano)
  const seen = nanos(observedTimeUnixNano)
  const hasName = typeof eventName === 'string' && eventName !== ''
  const name = hasName ? eventName : named
  return {
    name: typeof name === 'string' ? name : '',
    at: time ?? seen,
    // The attribute `event.name` is kept where the record has another name.
    attributes: named !== undefined && named !== name ? { 'event.name': named, ...own } : own,
    body: plainValue(body, `${path}.body`, losses),
    rest: {
      ...rest,
      ...unread({ timeUnixNano, observedTimeUnixNano }),
      ...(!hasName && isOdd(eventName) && { eventName }),
      ...(idIn(spanId, 8) === null && isOdd(spanId) && { spanId }),
      ...from,
      ...(time !== null && seen !== null && time !== seen && { observedTimeUnixNano: seen }),
    },
  }
}

/** The times that are no number of nanoseconds. */
const unread = (times: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(times).filter((entry): entry is [string, Json] => isOdd(entry[1]) && nanos(entry[1]) === null),
  )

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
