import { counted } from '../../../domain/plain/counted.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { sha256 } from '../../document/identity.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { sourceTime } from '../../document/time/source-time.ts'
import { timeMsOf } from '../../document/time/times.ts'
import { type Database, readDatabase, type SqlRow, type SqlValue } from '../../read/sqlite.ts'
import { rowOf } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { RunHead, Source, SourceRun } from '../importer.ts'
import { traceReader, valuesByKey } from './database-traces.ts'
import { runTags } from './tags.ts'
import { RUN_KEY, traceCase } from './traces.ts'

/** The tables that are read. */
const TABLES = [
  'runs',
  'experiments',
  'params',
  'tags',
  'latest_metrics',
  'alembic_version',
  'trace_info',
  'trace_request_metadata',
  'trace_tags',
  'assessments',
  'spans',
] as const

/** The schemas that this importer was tried with. */
const KNOWN_SCHEMAS: ReadonlySet<string> = new Set(['dc11669786a5'])

/** Reads the tracking database of MLflow: a run for each evaluation run that has traces, in the order of their ids. */
export const runsOfDatabase = ({ file, look }: Source, options: ImportOptions): AsyncIterable<SourceRun> =>
  readDatabase(file, TABLES, function* (database) {
    const traces = traceReader(database, look.tables)
    const schema = oneText(
      database,
      look.tables.has('alembic_version') ? 'SELECT version_num AS value FROM alembic_version' : null,
    )
    for (const runId of traces.runIds()) {
      database.exec('BEGIN')
      yield storedRun(database, look.tables, traces, runId, schema, file, options)
      database.exec('COMMIT')
    }
  })

const storedRun = (
  database: Database,
  tables: ReadonlyMap<string, readonly string[]>,
  traces: ReturnType<typeof traceReader>,
  runId: string,
  schema: string | null,
  file: SourceFile,
  options: ImportOptions,
): SourceRun => {
  const run = database.prepare<[string], SqlRow>('SELECT * FROM runs WHERE run_uuid = ?').get(runId) ?? {}
  const pairs = (table: string): Record<string, Json> =>
    tables.has(table)
      ? valuesByKey(
          database
            .prepare<[string], SqlRow>(`SELECT key, value FROM ${table} WHERE run_uuid = ? ORDER BY key`)
            .all(runId),
        )
      : {}
  const tags = pairs('tags')
  const startMs = typeof run['start_time'] === 'number' ? run['start_time'] : null
  return {
    part: runId,
    identity: runId,
    stamp: sha256(JSON.stringify([traces.stampOf(runId), run, tags])),
    timeMs: timeMsOf(sourceTime(startMs ?? traces.timesOf(runId).firstMs, options, newLosses(), '')),
    cases: function (losses: Losses) {
      return traces.casesOf(runId, losses, (trace) => traceCase(trace, losses, file, options))
    },
    head: (losses) => {
      if (schema !== null && !KNOWN_SCHEMAS.has(schema))
        losses.add('assumed', 'alembic_version', schema, 'a schema that this importer was not tried with')
      if (traces.withoutRun > 0)
        losses.addBytes('left_out', 'trace_info', 0, `${counted(traces.withoutRun, 'trace')} without ${RUN_KEY}`)
      return storedHead(
        run,
        tags,
        { params: pairs('params'), metrics: pairs('latest_metrics') },
        traces.timesOf(runId),
        mlflowExperiment(database, run),
        (value, path) => sourceTime(value, options, losses, path),
      )
    },
  }
}

const storedHead = (
  run: SqlRow,
  tags: Record<string, Json>,
  { params, metrics }: { readonly params: Record<string, Json>; readonly metrics: Record<string, Json> },
  times: { readonly firstMs: number | null; readonly lastMs: number | null },
  experiment: string | null,
  timeAt: (value: unknown, path: string) => string | null,
): RunHead => {
  const row = rowOf({ ...tags }, 'tags')
  const own = runTags(row, run['status'])
  const started = timeAt(run['start_time'], 'runs.start_time') ?? timeAt(times.firstMs, 'trace_info.timestamp_ms')
  const ended = timeAt(run['end_time'], 'runs.end_time') ?? timeAt(times.lastMs, 'trace_info.timestamp_ms')
  const name = typeof run['name'] === 'string' && run['name'] !== '' ? run['name'] : row.text('mlflow.runName')
  if (row.peek('mlflow.runName') === name) row.take('mlflow.runName')
  const user = row.text('mlflow.user')
  return {
    suite: experiment,
    startedAt: started,
    finishedAt: ended,
    description: name,
    git: { commit: row.text('mlflow.source.git.commit') || null, branch: row.text('mlflow.source.git.branch') || null },
    origin: { actor: user ?? (typeof run['user_id'] === 'string' ? run['user_id'] : null) },
    tags: [...own, ...(run['lifecycle_stage'] === 'deleted' ? ['deleted'] : [])],
    config: Object.keys(params).length > 0 ? rowOf({ params }, '') : null,
    rest: { ...row.rest(), ...(Object.keys(metrics).length > 0 && { metrics }) },
  }
}

const mlflowExperiment = (database: Database, run: SqlRow): string | null =>
  run['experiment_id'] === null || run['experiment_id'] === undefined
    ? null
    : oneText(database, 'SELECT name AS value FROM experiments WHERE experiment_id = ?', run['experiment_id'])

const oneText = (database: Database, sql: string | null, ...parameters: SqlValue[]): string | null => {
  if (sql === null) return null
  const value = database.prepare<SqlValue[], { value: SqlValue }>(sql).get(...parameters)?.value
  return typeof value === 'string' ? value : null
}
