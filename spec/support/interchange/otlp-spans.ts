// Spans and log records of OpenTelemetry, as they are in a file of OTLP.

export const TRACE = '5b8efff798038103d269b633813fc60c'

/** A number as `doubleValue`, a text as `stringValue`, anything else as JSON in a text. */
export const attribute = (key: string, value: unknown) => ({
  key,
  value:
    typeof value === 'number'
      ? { doubleValue: value }
      : { stringValue: typeof value === 'string' ? value : JSON.stringify(value) },
})
export const attributes = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).map(([key, value]) => attribute(key, value))

/** A span of one second. Its id is filled up with zeros. */
export const span = (spanId: string, more: object = {}) => ({
  traceId: TRACE,
  spanId: spanId.padStart(16, '0'),
  name: `span ${spanId}`,
  startTimeUnixNano: '1772442000000000000',
  endTimeUnixNano: '1772442001000000000',
  attributes: [] as object[],
  ...more,
})
export const traces = (...spans: object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
export const logs = (...logRecords: object[]) => ({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })

/** The event with the result of an evaluation. */
export const evaluation = (name: string, score: { readonly label?: string; readonly value?: number }) => ({
  name: 'gen_ai.evaluation.result',
  attributes: attributes({
    'gen_ai.evaluation.name': name,
    ...(score.label !== undefined && { 'gen_ai.evaluation.score.label': score.label }),
    ...(score.value !== undefined && { 'gen_ai.evaluation.score.value': score.value }),
  }),
})
