import type { Look } from '../../read/look.ts'
import { isObject } from '../../read/row.ts'
import type { Folder, SourceFile } from '../../read/source-file.ts'
import type { Claim, Importer } from '../importer.ts'
import { namedFiles, otherPages } from '../pages.ts'
import { isTrace } from './traces.ts'
import { EXPERIMENT_FILE, RUN_FILE } from './fetched-run.ts'
import { SPANS_FILE, runsOfTraceFiles } from './json-file.ts'

const detect = ({ kind, head, lines, tables }: Look): Claim | null => {
  if (kind === 'sqlite') {
    const isTracking = ['trace_info', 'assessments', 'runs'].every((name) => tables.has(name))
    return isTracking ? { reason: 'tables trace_info, assessments, runs' } : null
  }
  if (kind !== 'json' && kind !== 'lines') return null
  const first: unknown = kind === 'lines' ? lines[0] : Array.isArray(head) ? head[0] : head
  if (isTrace(first)) return { reason: 'info and data.spans of traces' }
  const traces = isObject(first) ? first['traces'] : null
  const [found] = Array.isArray(traces) ? (traces as unknown[]) : []
  if (isObject(first) && isDescription(first)) return { reason: 'a run or an experiment', isCompanion: true }
  if (isObject(found) && isObject(found['trace_info'])) return { reason: 'spans of traces', isCompanion: true }
  const isAnswer = isTrace(found) || (isObject(found) && isObject(found['trace_metadata']))
  return isAnswer ? { reason: 'traces with trace_metadata' } : null
}

/** The answers that describe a run or an experiment. */
const isDescription = ({ run, experiment }: Record<string, unknown>): boolean =>
  (isObject(run) && isObject(run['info']) && 'run_id' in run['info']) ||
  (isObject(experiment) && 'experiment_id' in experiment && 'lifecycle_stage' in experiment)

const firstTrace = ({ head }: Look): unknown => {
  const traces = isObject(head) ? head['traces'] : null
  return Array.isArray(traces) ? traces[0] : null
}

/** What `ers fetch` writes of a run: the other pages of the search, the spans, and what describes the run. */
const companions = async (file: SourceFile, look: Look, folder: Folder): Promise<readonly SourceFile[]> => {
  if (look.kind !== 'json' || !isObject(firstTrace(look))) return []
  const pages = await otherPages(file, folder, (other) => {
    const trace = firstTrace(other)
    return isObject(trace) && isObject(trace['trace_metadata'])
  })
  const spans = [...folder.files.values()].filter(({ name }) => SPANS_FILE.test(name))
  return [...pages, ...spans, ...(await namedFiles(folder, [RUN_FILE, EXPERIMENT_FILE]))]
}

/** Reads evaluation runs of MLflow 3: traces as JSON or JSON lines, and the tracking database. */
export const mlflow: Importer = {
  format: 'mlflow',
  converter: 1,
  hasTranscripts: true,
  reads: 'traces of an evaluation of MLflow 3 as JSON or JSON lines, or its tracking database (SQLite)',
  detect,
  companions,
  open: async function* (source, options) {
    if (source.look.kind === 'sqlite') yield* (await import('./database.ts')).runsOfDatabase(source, options)
    else yield* runsOfTraceFiles(source, options)
  },
}
