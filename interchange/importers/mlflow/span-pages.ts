import type { Json } from '../../../domain/run/readers.ts'
import type { Losses } from '../../document/losses.ts'
import { jsonElements } from '../../read/json/json-elements.ts'
import { storedJson } from '../../read/rows/records.ts'
import { openRowStore } from '../../read/rows/row-store.ts'
import { isObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'

/** The spans of traces by the id of their trace, on disk. */
export type SpanStore = { readonly spansOf: (traceId: string) => Json | null; readonly close: () => void }

/**
 * Reads the answers of `traces/batchGet`: `{traces: [{trace_info, spans}]}`. Their spans are written as OpenTelemetry does
 * (opentelemetry/proto/trace/v1), and are returned as MLflow writes them to files: attributes by name, as JSON texts.
 */
export const spanStore = async (files: readonly SourceFile[], losses: Losses): Promise<SpanStore> => {
  const store = openRowStore()
  try {
    let number = 0
    for (const file of files) {
      for await (const { value } of jsonElements(file.bytes(), { arrays: [['traces']] }, losses)) {
        number += 1
        const info = isObject(value) ? value['trace_info'] : null
        const id = isObject(info) ? info['trace_id'] : null
        const spans = isObject(value) ? value['spans'] : null
        if (typeof id === 'string' && Array.isArray(spans)) store.add(id, '', number, JSON.stringify({ spans }))
      }
    }
  } catch (error) {
    store.close()
    throw error
  }
  return {
    spansOf: (traceId) => {
      const [row] = [...store.rowsOf(traceId)]
      const spans = row === undefined ? null : storedJson(row.body)['spans']
      return Array.isArray(spans) ? (spans as Json[]).map(spanOf) : null
    },
    close: store.close,
  }
}

const spanOf = (span: Json): Json => {
  if (!isObject(span)) return span
  const { attributes, events, ...rest } = span
  const values = membersOf(attributes ?? null)
  return {
    ...rest,
    attributes: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)])),
    ...(Array.isArray(events) && {
      events: (events as Json[]).map((event) =>
        isObject(event) ? { ...event, attributes: membersOf(event['attributes'] ?? null) } : event,
      ),
    }),
  }
}

/** A list of `{key, value}` as an object. */
const membersOf = (list: Json): Record<string, Json> =>
  Object.fromEntries(
    (Array.isArray(list) ? (list as Json[]) : []).flatMap((pair) =>
      isObject(pair) && typeof pair['key'] === 'string' ? [[pair['key'], valueOf(pair['value'] ?? null)]] : [],
    ),
  )

/** A value of the type `AnyValue` (opentelemetry/proto/common/v1), with the names of the protocol or those of its JSON. */
const valueOf = (value: Json): Json => {
  if (!isObject(value)) return value
  const [entry] = Object.entries(value)
  if (entry === undefined) return null
  const [type, content] = entry
  const values = isObject(content) ? (content['values'] ?? []) : []
  if (/^kvlist_?value$/i.test(type)) return membersOf(values)
  if (/^array_?value$/i.test(type)) return Array.isArray(values) ? (values as Json[]).map(valueOf) : []
  // 64-bit integers are texts in the JSON of the protocol.
  if (/^int_?value$/i.test(type) && typeof content === 'string' && Number.isSafeInteger(Number(content)))
    return Number(content)
  return content
}
