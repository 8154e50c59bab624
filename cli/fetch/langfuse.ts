import { FetchFailed } from './api.ts'
import { safeName } from './folder.ts'
import type { List } from './pager.ts'
import { isObject } from '../../domain/plain/is-object.ts'
import {
  basic,
  rowId,
  isSince,
  neededKey,
  rowsIn,
  type Experiment,
  type Fetching,
  type Target,
  type Tool,
} from './tool.ts'
import { textAt } from '../../interchange/read/members.ts'

const PUBLIC = ['api', 'public'] as const
const LIMIT = '100'
/** Before any experiment: the API needs a time, and the items of an experiment may be older than `--since`. */
const FROM_START = '2020-01-01T00:00:00Z'

/** Langfuse 4 and on: experiments and their items, with their inputs, outputs and scores. */
const experimentsOf = async function* (fetching: Fetching): AsyncGenerator<Experiment> {
  const { sinceMs } = fetching
  const all = cursorList('experiments', [...PUBLIC, 'experiments'], {
    fromStartTime: sinceMs === null ? FROM_START : new Date(sinceMs).toISOString(),
    fields: 'core,metadata,scores',
  })
  for await (const row of fetching.rows(all)) {
    const id = rowId(row)
    yield { id, fetch: (into) => fetchItems(id, into) }
  }
}

const fetchItems = (id: string, into: Target): Promise<boolean> => {
  // The parameter is a list of ids.
  if (id.includes(',')) throw new FetchFailed('an id with a comma cannot be fetched')
  return into.list(
    cursorList('experiment-items', [...PUBLIC, 'experiment-items'], {
      experimentId: id,
      fromStartTime: FROM_START,
      fields: 'core,dataset,io,metadata,itemMetadata,experimentMetadata,scores',
      scoreLimit: '50',
    }),
  )
}

const cursorList = (name: string, path: readonly string[], query: Readonly<Record<string, string>>): List => ({
  name,
  request: (cursor) => ({ path, query: { ...query, limit: LIMIT, cursor: cursor ?? undefined } }),
  rows: rowsIn('data'),
  next: (page) => textAt(page, 'meta', 'cursor') ?? textAt(page, 'meta', 'nextCursor'),
})

/** Langfuse 3: runs of datasets, whose inputs, outputs and scores are in traces. */
const datasetRunsOf = async function* (fetching: Fetching): AsyncGenerator<Experiment> {
  for await (const dataset of fetching.rows(numberedList('datasets', [...PUBLIC, 'v2', 'datasets']))) {
    const name = rowId(dataset, 'name')
    const runs = numberedList('runs', [...PUBLIC, 'datasets', name, 'runs'])
    for await (const run of fetching.rows(runs, name)) {
      if (!isSince(fetching.sinceMs, textAt(run, 'updatedAt') ?? textAt(run, 'createdAt'))) continue
      const runName = rowId(run, 'name')
      yield { id: rowId(run), fetch: (into) => fetchDatasetRun(name, runName, into) }
    }
  }
}

const fetchDatasetRun = async (dataset: string, run: string, into: Target): Promise<boolean> => {
  await into.document('dataset-run', { path: [...PUBLIC, 'datasets', dataset, 'runs', run] })
  const items = rowsIn('datasetRunItems')(into.content('dataset-run')) ?? []
  if (items.length === 0) return false
  const traces = new Set(items.filter(isObject).flatMap((item) => textAt(item, 'traceId') ?? []))
  for (const id of traces) await fetchTrace(id, into)
  await into.list(numberedList('dataset-items', [...PUBLIC, 'dataset-items'], { datasetName: dataset }))
  return true
}

/** A trace that was deleted is missing in the folder: its case has no output then. */
const fetchTrace = async (id: string, into: Target): Promise<void> => {
  try {
    await into.document(`trace-${safeName(id)}`, { path: [...PUBLIC, 'traces', id] })
  } catch (error) {
    if (!(error instanceof FetchFailed) || error.status !== 404) throw error
  }
}

const numberedList = (name: string, path: readonly string[], query: Readonly<Record<string, string>> = {}): List => ({
  name,
  request: (cursor) => ({ path, query: { ...query, page: cursor ?? '1', limit: LIMIT } }),
  rows: rowsIn('data'),
  next: (page, rows, cursor) => {
    const number = Number(cursor ?? 1)
    const meta: unknown = isObject(page) ? page['meta'] : null
    const total: unknown = isObject(meta) ? meta['totalPages'] : null
    return rows.length > 0 && typeof total === 'number' && number < total ? String(number + 1) : null
  },
})

/** The experiments API of version 4, and where it is missing the dataset runs of version 3. */
export const langfuse: Tool = {
  title: 'Langfuse',
  defaultUrl: 'https://cloud.langfuse.com',
  credentials: (env) =>
    basic(
      neededKey(env, 'LANGFUSE_PUBLIC_KEY'),
      neededKey(env, 'LANGFUSE_SECRET_KEY'),
      'LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY',
    ),
  experiments: async function* (fetching) {
    try {
      yield* experimentsOf(fetching)
    } catch (error) {
      if (!(error instanceof FetchFailed) || error.status !== 404) throw error
      yield* datasetRunsOf(fetching)
    }
  },
}
