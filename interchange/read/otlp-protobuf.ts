import { MAX_DEPTH } from '../../domain/run/scan.ts'
import type { Json } from '../../domain/run/readers.ts'
import type { Losses } from '../document/losses.ts'
import { SourceRefused } from '../document/source-refused.ts'
import { claimHeap, MAX_TEXT_VALUES } from './json/parse-json.ts'

// Traces and log records of OpenTelemetry as protobuf, read into the objects that OTLP has as JSON.

type Kind = 'text' | 'hex' | 'bytes' | 'bool' | 'int' | 'enum' | 'fixed64' | 'fixed32' | 'double'
type Field = { readonly name: string; readonly kind: Kind | Message; readonly isList?: true }
/** The fields of a message by their numbers. */
type Message = () => ReadonlyMap<number, Field>

const message = (fields: Readonly<Record<number, readonly [string, Kind | Message, 'list'?]>>): Message => {
  const found = new Map(
    Object.entries(fields).map(([number, [name, kind, list]]) => [
      Number(number),
      { name, kind, ...(list === 'list' && { isList: true as const }) },
    ]),
  )
  return () => found
}

const anyValue: Message = () => ANY_VALUE()
const keyValue = message({ 1: ['key', 'text'], 2: ['value', anyValue] })
const ANY_VALUE = message({
  1: ['stringValue', 'text'],
  2: ['boolValue', 'bool'],
  3: ['intValue', 'int'],
  4: ['doubleValue', 'double'],
  5: ['arrayValue', message({ 1: ['values', anyValue, 'list'] })],
  6: ['kvlistValue', message({ 1: ['values', keyValue, 'list'] })],
  7: ['bytesValue', 'bytes'],
})
const resource = message({ 1: ['attributes', keyValue, 'list'], 2: ['droppedAttributesCount', 'enum'] })
const scope = message({
  1: ['name', 'text'],
  2: ['version', 'text'],
  3: ['attributes', keyValue, 'list'],
  4: ['droppedAttributesCount', 'enum'],
})
const event = message({
  1: ['timeUnixNano', 'fixed64'],
  2: ['name', 'text'],
  3: ['attributes', keyValue, 'list'],
  4: ['droppedAttributesCount', 'enum'],
})
const link = message({
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  3: ['traceState', 'text'],
  4: ['attributes', keyValue, 'list'],
  5: ['droppedAttributesCount', 'enum'],
  6: ['flags', 'fixed32'],
})
const span = message({
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  3: ['traceState', 'text'],
  4: ['parentSpanId', 'hex'],
  5: ['name', 'text'],
  6: ['kind', 'enum'],
  7: ['startTimeUnixNano', 'fixed64'],
  8: ['endTimeUnixNano', 'fixed64'],
  9: ['attributes', keyValue, 'list'],
  10: ['droppedAttributesCount', 'enum'],
  11: ['events', event, 'list'],
  12: ['droppedEventsCount', 'enum'],
  13: ['links', link, 'list'],
  14: ['droppedLinksCount', 'enum'],
  15: ['status', message({ 2: ['message', 'text'], 3: ['code', 'enum'] })],
  16: ['flags', 'fixed32'],
})
const logRecord = message({
  1: ['timeUnixNano', 'fixed64'],
  2: ['severityNumber', 'enum'],
  3: ['severityText', 'text'],
  5: ['body', anyValue],
  6: ['attributes', keyValue, 'list'],
  7: ['droppedAttributesCount', 'enum'],
  8: ['flags', 'fixed32'],
  9: ['traceId', 'hex'],
  10: ['spanId', 'hex'],
  11: ['observedTimeUnixNano', 'fixed64'],
  12: ['eventName', 'text'],
})
const scoped = (list: string, item: Message): Message =>
  message({ 1: ['scope', scope], 2: [list, item, 'list'], 3: ['schemaUrl', 'text'] })
const resourced = (list: string, item: Message): Message =>
  message({ 1: ['resource', resource], 2: [list, item, 'list'], 3: ['schemaUrl', 'text'] })
const ITEMS = {
  resourceSpans: resourced('scopeSpans', scoped('spans', span)),
  resourceLogs: resourced('scopeLogs', scoped('logRecords', logRecord)),
}

const damaged = (): SourceRefused => new SourceRefused('not valid OTLP: the protobuf message is damaged or cut off')

/** Reads an unsigned number of at most 64 bits. */
const varint = (bytes: Buffer, at: number): { readonly value: bigint; readonly next: number } => {
  let value = 0n
  for (let index = 0; index < 10; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) throw damaged()
    value |= BigInt(byte & 0x7f) << BigInt(7 * index)
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), next: at + index + 1 }
  }
  throw damaged()
}

const [VARINT, FIXED64, LENGTH, FIXED32] = [0, 1, 2, 5]

/** The value of a field on the wire: a number, or its bytes. */
const wireValue = (bytes: Buffer, at: number, type: number) => {
  if (type === VARINT) return varint(bytes, at)
  const found = type === LENGTH ? varint(bytes, at) : { value: type === FIXED64 ? 8n : 4n, next: at }
  if (type !== LENGTH && type !== FIXED64 && type !== FIXED32) throw damaged()
  const end = found.next + Number(found.value)
  if (end > bytes.length) throw damaged()
  return { value: bytes.subarray(found.next, end), next: end }
}

const scalar = (kind: Kind, value: bigint | Buffer): Json => {
  if (typeof value === 'bigint') {
    if (kind === 'bool') return value !== 0n
    if (kind === 'int') return String(BigInt.asIntN(64, value))
    if (kind === 'enum') return Number(value)
    throw damaged()
  }
  if (kind === 'text') return value.toString('utf8')
  if (kind === 'hex') return value.toString('hex')
  if (kind === 'bytes') return value.toString('base64')
  if (kind === 'fixed32' && value.length === 4) return value.readUInt32LE()
  if (kind === 'fixed64' && value.length === 8) return String(value.readBigUInt64LE())
  if (kind === 'double' && value.length === 8) {
    const number = value.readDoubleLE()
    // As OTLP writes them in JSON: NaN, Infinity.
    return Number.isFinite(number) ? number : String(number)
  }
  throw damaged()
}

/** The fields of a message, each with its number. */
const fieldsOf = function* (bytes: Buffer): Generator<{ readonly number: number; readonly value: bigint | Buffer }> {
  for (let at = 0; at < bytes.length;) {
    const tag = varint(bytes, at)
    const { value, next } = wireValue(bytes, tag.next, Number(tag.value & 7n))
    at = next
    yield { number: Number(tag.value >> 3n), value }
  }
}

/** What is read of a message: how many values there may still be, and where unknown fields are recorded. */
type Reading = { values: number; readonly losses: Losses }

const read = (
  bytes: Buffer,
  fields: ReadonlyMap<number, Field>,
  path: string,
  depth: number,
  reading: Reading,
): Record<string, Json> => {
  if (depth > MAX_DEPTH) throw new SourceRefused(`nested deeper than ${MAX_DEPTH}`)
  const found: Record<string, Json> = {}
  for (const { number, value } of fieldsOf(bytes)) {
    if (--reading.values < 0) throw new SourceRefused(`more than ${MAX_TEXT_VALUES} values of one resource`)
    const field = fields.get(number)
    if (field === undefined) {
      recordUnknown(reading.losses, path, number, value)
      continue
    }
    const { name, kind, isList } = field
    if (typeof kind === 'function' && typeof value === 'bigint') throw damaged()
    const inner = isList ? `${path}.${name}.*` : `${path}.${name}`
    const item =
      typeof kind === 'function' ? read(value as Buffer, kind(), inner, depth + 1, reading) : scalar(kind, value)
    if (isList) ((found[name] ??= []) as Json[]).push(item)
    else {
      // Of a field that comes again the last value counts.
      if (found[name] !== undefined) reading.losses.add('left_out', inner, found[name], 'written again in its message')
      found[name] = item
    }
  }
  return found
}

/** Records a field that this reader does not know, of a newer version of OTLP. */
const recordUnknown = (losses: Losses, path: string, number: number, value: bigint | Buffer): void => {
  const bytes = typeof value === 'bigint' ? 1 : value.length
  losses.addBytes('left_out', `${path}.(field ${number})`, bytes, 'a field that is not known')
}

/** What a log record may begin with: a time, a severity, a body, attributes, or the id of its trace. */
const LOG_TAGS: ReadonlySet<number> = new Set([0x09, 0x10, 0x1a, 0x2a, 0x32, 0x4a, 0x59])

/** Whether the first bytes of a file are a message of traces or of log records: which it is, or null. */
export const otlpKind = (head: Buffer): 'resourceSpans' | 'resourceLogs' | null => {
  try {
    // Down to the first span or record, whose first field decides: the id of a trace is bytes.
    let inner = head
    for (const wanted of [1, 2, 2]) {
      const found = firstField(inner, wanted)
      if (found === null) return null
      inner = found
    }
    const [tag = 0, length] = inner
    return tag === 0x0a && length === 16 ? 'resourceSpans' : LOG_TAGS.has(tag) ? 'resourceLogs' : null
  } catch (error) {
    if (error instanceof SourceRefused) return null
    throw error
  }
}

/** The bytes of the first field with a number, as far as they are there. Only fields 1 to 3 with a length may be in front. */
const firstField = (bytes: Buffer, wanted: number): Buffer | null => {
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at]!
    if ((tag & 7) !== LENGTH || tag >> 3 < 1 || tag >> 3 > 3) return null
    const length = varint(bytes, at + 1)
    const end = length.next + Number(length.value)
    if (tag >> 3 === wanted) return bytes.subarray(length.next, end)
    at = end
  }
  return null
}

/**
 * Reads a message of traces or of log records, one resource after the other. Throws `SourceRefused` for one that is damaged, and for
 * more than 1,000,000 values of a resource: a small message can hold very many, which take gigabytes.
 */
export const otlpItems = function* (
  bytes: Buffer,
  kind: keyof typeof ITEMS,
  losses: Losses,
): Generator<Record<string, Json>> {
  for (const { number, value } of fieldsOf(bytes)) {
    if (number !== 1) {
      recordUnknown(losses, kind, number, value)
      continue
    }
    if (typeof value === 'bigint') throw damaged()
    claimHeap(value.length)
    yield read(value, ITEMS[kind](), `${kind}.*`, 1, { values: MAX_TEXT_VALUES, losses })
  }
}
