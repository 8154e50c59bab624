import { FetchFailed } from './api.ts'
import type { List } from './pager.ts'
import { isObject } from '../../domain/plain/is-object.ts'
import { basic, bearer, rowId, isSince, keyIn, rowsIn, type Row, type Target, type Tool } from './tool.ts'
import { textAt } from '../../interchange/read/members.ts'

const API_2 = ['api', '2.0', 'mlflow'] as const
const API_3 = ['api', '3.0', 'mlflow'] as const
const VARIABLES = 'MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD'
/** Traces with their spans are large. */
const MAX_TRACES = 50

const searchOf = (name: string, key: string, path: readonly string[], body: object): List => ({
  name,
  request: (cursor) => ({ path, body: { ...body, ...(cursor !== null && { page_token: cursor }) } }),
  // Without rows, the answer has no list.
  rows: (page) => (isObject(page) && !Object.hasOwn(page, key) ? [] : rowsIn(key)(page)),
  next: (page) => textAt(page, 'next_page_token'),
})

const tracesOf = (experiment: string, run: string): List =>
  searchOf('traces', 'traces', [...API_3, 'traces', 'search'], {
    locations: [{ type: 'MLFLOW_EXPERIMENT', mlflow_experiment: { experiment_id: experiment } }],
    filter: `attributes.run_id = '${run}'`,
    max_results: MAX_TRACES,
  })

/** A run without traces is no evaluation of MLflow 3. */
const fetchRun = async (experiment: string, run: string, into: Target): Promise<boolean> => {
  if (!/^[\w-]+$/.test(run)) throw new FetchFailed('a run id with other characters than letters, digits, - and _')
  if (!(await into.list(tracesOf(experiment, run)))) return false
  await fetchSpans(experiment, run, into)
  await into.document('run', { path: [...API_2, 'runs', 'get'], query: { run_id: run } })
  await into.document('experiment', { path: [...API_2, 'experiments', 'get'], query: { experiment_id: experiment } })
  return true
}

/** The search leaves the spans out, which alone have long inputs and outputs. A server before 3.5 has no route for them. */
const fetchSpans = async (experiment: string, run: string, into: Target): Promise<void> => {
  let ids: string[] = []
  let number = 0
  const flush = async () => {
    number += 1
    const query = ids.map((id) => ['trace_ids', id] as const)
    await into.document(`spans-${String(number).padStart(6, '0')}`, { path: [...API_3, 'traces', 'batchGet'], query })
    ids = []
  }
  try {
    for await (const trace of into.rows(tracesOf(experiment, run))) {
      const id = textAt(trace, 'trace_id')
      if (id !== null) ids.push(id)
      if (ids.length >= MAX_TRACES) await flush()
    }
    if (ids.length > 0) await flush()
  } catch (error) {
    if (!(error instanceof FetchFailed) || error.status !== 404) throw error
  }
}

const startTime = (run: Row): string | null => {
  const start = isObject(run['info']) ? run['info']['start_time'] : null
  return typeof start === 'number' && Math.abs(start) < 8e15 ? new Date(start).toISOString() : null
}

/** Evaluation runs of MLflow 3 and their traces. A server may need no key. */
export const mlflow: Tool = {
  title: 'MLflow',
  defaultUrl: 'http://localhost:5000',
  credentials: (env) => {
    const [user, password] = [env['MLFLOW_TRACKING_USERNAME'], env['MLFLOW_TRACKING_PASSWORD']]
    return user && password ? basic(user, password, VARIABLES) : bearer(keyIn(env, 'MLFLOW_TRACKING_TOKEN'), VARIABLES)
  },
  experiments: async function* (fetching) {
    const experiments = searchOf('experiments', 'experiments', [...API_2, 'experiments', 'search'], {
      max_results: 1_000,
    })
    for await (const experiment of fetching.rows(experiments)) {
      const experimentId = rowId(experiment, 'experiment_id')
      const runs = searchOf('runs', 'runs', [...API_2, 'runs', 'search'], {
        experiment_ids: [experimentId],
        max_results: 1_000,
      })
      for await (const run of fetching.rows(runs, experimentId)) {
        if (!isSince(fetching.sinceMs, startTime(run))) continue
        const id = textAt(run, 'info', 'run_id')
        if (id !== null) yield { id, fetch: (into) => fetchRun(experimentId, id, into) }
      }
    }
  },
}
