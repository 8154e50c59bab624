import type { Json } from '../../../domain/run/readers.ts'
import { newLosses } from '../../document/losses.ts'
import { jsonElements } from '../../read/json/json-elements.ts'
import { storedJson } from '../../read/rows/records.ts'
import type { RowStore } from '../../read/rows/row-store.ts'
import { isObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { textAt } from '../../read/members.ts'
import { pairsOf } from './pairs.ts'

/**
 * Puts the spans of the answers of `traces/batchGet`, `{traces: [{trace_info, spans}]}`, into a store, by the id of their
 * trace.
 */
export const storeSpans = async (store: RowStore, files: readonly SourceFile[]): Promise<void> => {
  let number = 0
  for (const file of files)
    for await (const { value } of jsonElements(file.bytes(), { arrays: [['traces']] }, newLosses())) {
      number += 1
      const id = textAt(value, 'trace_info', 'trace_id')
      const spans = isObject(value) ? value['spans'] : null
      if (id !== null && Array.isArray(spans)) store.add(id, '', number, JSON.stringify({ spans }))
    }
}

/**
 * The spans of a trace; null if the store has none. They were written as OpenTelemetry does
 * (opentelemetry/proto/trace/v1), and are returned as MLflow writes them to files: attributes by name, as JSON texts.
 */
export const storedSpans = (store: RowStore, traceId: string): Json | null => {
  const [row] = [...store.rowsOf(traceId)]
  const spans = row === undefined ? null : storedJson(row.body)['spans']
  return Array.isArray(spans) ? (spans as Json[]).map(spanOf) : null
}

const spanOf = (span: Json): Json => {
  if (!isObject(span)) return span
  const { attributes, events, ...rest } = span
  const values = pairsOf(attributes, valueOf)
  return {
    ...rest,
    attributes: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)])),
    ...(Array.isArray(events) && {
      events: (events as Json[]).map((event) =>
        isObject(event) ? { ...event, attributes: pairsOf(event['attributes'], valueOf) } : event,
      ),
    }),
  }
}

/** A value of the type `AnyValue` (opentelemetry/proto/common/v1), with the names of the protocol or those of its JSON. */
const valueOf = (value: Json): Json => {
  if (!isObject(value)) return value
  const [entry] = Object.entries(value)
  if (entry === undefined) return null
  const [type, content] = entry
  const values = isObject(content) ? (content['values'] ?? []) : []
  if (/^kvlist_?value$/i.test(type)) return pairsOf(values, valueOf)
  if (/^array_?value$/i.test(type)) return Array.isArray(values) ? (values as Json[]).map(valueOf) : []
  // 64-bit integers are texts in the JSON of the protocol.
  if (/^int_?value$/i.test(type) && typeof content === 'string' && Number.isSafeInteger(Number(content)))
    return Number(content)
  return content
}
