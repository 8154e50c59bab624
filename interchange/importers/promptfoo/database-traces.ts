import type { Json } from '../../../domain/run/readers.ts'
import { NO_LOSSES } from '../../document/losses.ts'
import { textAt } from '../../read/members.ts'
import type { JsonObject } from '../../read/row.ts'
import { columnJson, type Database, type SqlRow } from '../../read/sqlite.ts'
import { namesOfResult, resultOf, type Traces } from './traces.ts'

const TRACES = ['trace_id', 'evaluation_id', 'test_case_id', 'metadata']
const SPANS = ['trace_id', 'span_id', 'parent_span_id', 'name', 'start_time', 'end_time', 'attributes']

/** The traces of an evaluation of the database, in the shape of the JSON output; null if it has none. */
export const databaseTraces = (
  database: Database,
  tables: ReadonlyMap<string, readonly string[]>,
  evaluation: string,
): Traces | null => {
  const has = (table: string, columns: readonly string[]) => columns.every((one) => tables.get(table)?.includes(one))
  if (!has('traces', TRACES) || !has('spans', SPANS)) return null
  const found = database
    .prepare<[string], SqlRow>('SELECT * FROM traces WHERE evaluation_id = ? ORDER BY created_at, trace_id')
    .all(evaluation)
    .map(traceOf)
  if (found.length === 0) return null
  const spans = database.prepare<[string], SqlRow>(
    'SELECT * FROM spans WHERE trace_id = ? ORDER BY start_time, span_id',
  )
  const byResult = Map.groupBy(found, resultOf)
  const used = new Set<string>()
  return {
    of: (row) => {
      const name = namesOfResult(row).find((one) => byResult.has(one))
      if (name === undefined) return []
      used.add(name)
      return byResult
        .get(name)!
        .map((trace) => ({ ...trace, spans: spans.all(textAt(trace, 'traceId') ?? '').map(spanOf) }))
    },
    recordOthers: (losses) => {
      for (const [name, traces] of byResult)
        if (!used.has(name))
          for (const trace of traces) losses.add('left_out', 'traces.*', trace, 'a trace of no result')
    },
  }
}

const traceOf = ({ trace_id, evaluation_id, test_case_id, metadata }: SqlRow): JsonObject => ({
  ...{ traceId: text(trace_id), evaluationId: text(evaluation_id), testCaseId: text(test_case_id) },
  metadata: columnJson(metadata ?? null, NO_LOSSES, ''),
})

const spanOf = (row: SqlRow): JsonObject => ({
  ...{ spanId: text(row['span_id']), parentSpanId: text(row['parent_span_id']), name: text(row['name']) },
  ...{ startTime: text(row['start_time']), endTime: text(row['end_time']) },
  attributes: columnJson(row['attributes'] ?? null, NO_LOSSES, ''),
  ...{ statusCode: text(row['status_code']), statusMessage: text(row['status_message']) },
})

const text = (value: SqlRow[string] | undefined): Json =>
  Buffer.isBuffer(value) ? value.toString('utf8') : (value ?? null)
