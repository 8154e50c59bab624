import type { Look } from '../../read/look.ts'
import { isObject } from '../../read/row.ts'
import type { Claim, Importer } from '../importer.ts'
import { isTrace } from './assessments.ts'
import { tracesFile } from './json-file.ts'

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
  const isAnswer = isTrace(found) || (isObject(found) && isObject(found['trace_metadata']))
  return isAnswer ? { reason: 'traces with trace_metadata' } : null
}

/** Reads evaluation runs of MLflow 3: traces as JSON or JSON lines, and the tracking database. */
export const mlflow: Importer = {
  format: 'mlflow',
  converter: 1,
  reads: 'traces of an evaluation of MLflow 3 as JSON or JSON lines, or its tracking database (SQLite)',
  detect,
  open: async function* (source) {
    if (source.look.kind === 'sqlite') yield* (await import('./database.ts')).trackingDatabase(source)
    else yield* tracesFile(source)
  },
}
