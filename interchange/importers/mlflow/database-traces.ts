import type { Json } from '../../../domain/run/readers.ts'
import type { CaseDraft } from '../../document/case/case-draft.ts'
import type { Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { timeOfMs } from '../../document/time/times.ts'
import { jsonOrText } from '../../read/json/inner-json.ts'
import { MAX_ELEMENT_BYTES } from '../../read/json/json-elements.ts'
import { rowOf, type Row as SourceRow } from '../../read/row.ts'
import { databaseRefused, type Database, type SqlRow, type SqlValue, columnJson } from '../../read/sqlite.ts'
import { RUN_KEY, SCORER_TAG } from './traces.ts'

/**
 * Reads traces of the database in the shape of the JSON of MLflow, so that both give the same cases.
 */
export const traceReader = (database: Database, tables: ReadonlyMap<string, readonly string[]>) => {
  // Which traces belong to which run, read once: the table of metadata has no index for it.
  database.exec(`
    CREATE TEMP TABLE run_traces (run_id, time_ms, trace_id, duration_ms, is_judge, PRIMARY KEY (run_id, time_ms, trace_id));
    INSERT OR IGNORE INTO temp.run_traces
    SELECT m.value, t.timestamp_ms, t.request_id, t.execution_time_ms,
      EXISTS (SELECT 1 FROM trace_tags g WHERE g.request_id = t.request_id AND g.key = '${SCORER_TAG}')
    FROM trace_request_metadata m JOIN trace_info t ON t.request_id = m.request_id WHERE m.key = '${RUN_KEY}'`)
  const withoutRun = one(
    database,
    'SELECT (SELECT count(*) FROM trace_info) - (SELECT count(*) FROM temp.run_traces) AS value',
  )
  const hasSpans = tables.get('spans')?.includes('content') ?? false
  const info = database.prepare<[SqlValue], SqlRow>('SELECT * FROM trace_info WHERE request_id = ?')
  const pairs = (table: string) =>
    database.prepare<[SqlValue], SqlRow>(`SELECT key, value FROM ${table} WHERE request_id = ? ORDER BY key`)
  const [metadata, tags] = [pairs('trace_request_metadata'), pairs('trace_tags')]
  const assessments = database.prepare<[SqlValue], SqlRow>('SELECT * FROM assessments WHERE trace_id = ?')
  const spanBytes = hasSpans
    ? database.prepare<[SqlValue], SqlRow>(
        'SELECT coalesce(sum(octet_length(content)), 0) AS bytes FROM spans WHERE trace_id = ?',
      )
    : null
  const spans = hasSpans
    ? database.prepare<[SqlValue], SqlRow>(
        'SELECT content FROM spans WHERE trace_id = ? ORDER BY start_time_unix_nano, span_id',
      )
    : null

  const traceOf = (id: SqlValue, losses: Losses): Record<string, Json> => {
    if (Number(spanBytes?.get(id)?.['bytes'] ?? 0) > MAX_ELEMENT_BYTES)
      throw new SourceRefused(`the spans of a trace are larger than ${MAX_ELEMENT_BYTES} bytes`)
    const row = info.get(id) ?? {}
    return {
      info: {
        ...storedInfo(row),
        trace_metadata: withUsage(valuesByKey(metadata.all(id)), row),
        tags: valuesByKey(tags.all(id)),
        assessments: assessments.all(id).map((assessment) => assessmentOf(assessment, losses)),
      },
      data: { spans: spans?.all(id).map(({ content }) => columnJson(content, losses, 'spans.*.content')) ?? [] },
    }
  }

  return {
    runIds: (): readonly string[] =>
      database
        .prepare<[], { run_id: SqlValue }>(
          "SELECT DISTINCT run_id FROM temp.run_traces WHERE typeof(run_id) = 'text' ORDER BY run_id",
        )
        .all()
        .map(({ run_id }) => String(run_id)),
    timesOf: (runId: string) => {
      const found = database
        .prepare<[string], SqlRow>(
          'SELECT min(time_ms) AS first, max(time_ms + coalesce(duration_ms, 0)) AS last FROM temp.run_traces WHERE run_id = ?',
        )
        .get(runId)
      return { firstMs: numberOrNull(found?.['first']), lastMs: numberOrNull(found?.['last']) }
    },
    /** The number of traces, and the newest change of an assessment. */
    stampOf: (runId: string): Json =>
      Object.values(
        database
          .prepare<[string], SqlRow>(
            `SELECT count(DISTINCT t.trace_id) AS traces, count(a.assessment_id) AS assessments, max(a.last_updated_timestamp) AS newest
             FROM temp.run_traces t LEFT JOIN assessments a ON a.trace_id = t.trace_id WHERE t.run_id = ?`,
          )
          .get(runId) ?? {},
      ),
    /** The number of traces that name no run. */
    withoutRun,
    casesOf: async function* (runId: string, losses: Losses, read: (trace: SourceRow, losses: Losses) => CaseDraft) {
      try {
        const rows = database
          .prepare<[string], SqlRow>(
            'SELECT trace_id, is_judge FROM temp.run_traces WHERE run_id = ? ORDER BY time_ms, trace_id',
          )
          .iterate(runId)
        for (const { trace_id: id, is_judge: isJudge } of rows) {
          if (isJudge === 1) losses.addBytes('left_out', 'trace_info', 0, 'traces of judges')
          else yield read(rowOf(traceOf(id ?? null, losses), 'trace_info.*'), losses)
        }
      } catch (error) {
        throw databaseRefused(error)
      }
    },
  }
}

const one = (database: Database, sql: string): number =>
  Number(database.prepare<[], { value: SqlValue }>(sql).get()?.value ?? 0)

const numberOrNull = (value: SqlValue | undefined): number | null => (typeof value === 'number' ? value : null)

/** Rows of keys and values as an object. */
export const valuesByKey = (rows: readonly SqlRow[]): Record<string, Json> =>
  Object.fromEntries(rows.map(({ key, value }) => [String(key), plainValue(value)]))

/** A value of a column: the bytes of a text are the text. */
const plainValue = (value: SqlValue | undefined): Json =>
  Buffer.isBuffer(value) ? value.toString('utf8') : (value ?? null)

/** The columns of a trace under the names of the JSON; others keep theirs. */
const storedInfo = (row: SqlRow): Record<string, Json> => {
  const { request_id, experiment_id: _experiment, timestamp_ms, execution_time_ms, status, ...others } = row
  const time = typeof timestamp_ms === 'number' ? timeOfMs(timestamp_ms) : null
  const rest = Object.entries(others).filter(([key]) => !USAGE_COLUMNS.has(key) && key !== 'db_payload_generation')
  return {
    trace_id: plainValue(request_id),
    ...(time !== null && { request_time: time }),
    state: plainValue(status),
    execution_duration_ms: plainValue(execution_time_ms),
    ...Object.fromEntries(rest.map(([key, value]) => [key, plainValue(value)])),
  }
}

const USAGE_COLUMNS: ReadonlySet<string> = new Set([
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'cache_creation_input_tokens_above_1hr',
  'input_cost',
  'output_cost',
  'total_cost',
])

/** Newer versions have tokens and cost in columns, older ones in the metadata. */
const withUsage = (metadata: Record<string, Json>, row: SqlRow): Record<string, Json> => {
  const known = (keys: readonly string[]) =>
    Object.fromEntries(keys.flatMap((key) => (typeof row[key] === 'number' ? [[key, row[key]] as const] : [])))
  const usage = known([...USAGE_COLUMNS].filter((key) => key.includes('tokens')))
  const cost = known([...USAGE_COLUMNS].filter((key) => key.endsWith('cost')))
  return {
    ...(Object.keys(usage).length > 0 && { 'mlflow.trace.tokenUsage': JSON.stringify(usage) }),
    ...(Object.keys(cost).length > 0 && { 'mlflow.trace.cost': JSON.stringify(cost) }),
    ...metadata,
  }
}

/** An assessment under the names of the JSON. Values and errors are JSON in texts. */
const assessmentOf = (row: SqlRow, losses: Losses): Json => {
  const value = columnJson(row['value'], losses, 'assessments.*.value')
  const error = columnJson(row['error'], losses, 'assessments.*.error')
  const created = row['created_timestamp']
  const isExpectation = row['assessment_type'] === 'expectation'
  return {
    assessment_id: plainValue(row['assessment_id']),
    assessment_name: plainValue(row['name']),
    create_time: typeof created === 'number' ? timeOfMs(created) : null,
    source: { source_type: plainValue(row['source_type']), source_id: plainValue(row['source_id']) },
    ...(isExpectation ? { expectation: { value } } : { feedback: { value, ...(error !== null && { error }) } }),
    rationale: plainValue(row['rationale']),
    overrides: plainValue(row['overrides']),
    valid: row['valid'] !== 0,
    metadata: typeof row['assessment_metadata'] === 'string' ? jsonOrText(row['assessment_metadata']) : null,
  }
}
