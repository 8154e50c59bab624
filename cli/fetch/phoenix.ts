import { FetchFailed } from './api.ts'
import type { List } from './pager.ts'
import { bearer, rowId, isSince, keyIn, rowsIn, type Target, type Tool } from './tool.ts'
import { textAt } from '../../interchange/read/members.ts'

const LIMIT = '100'

const listAt = (name: string, path: readonly string[]): List => ({
  name,
  request: (cursor) => ({ path, query: { limit: LIMIT, cursor: cursor ?? undefined } }),
  rows: rowsIn('data'),
  next: (page) => textAt(page, 'next_cursor'),
})

/** The download is one answer. An experiment that did not run yet has none. */
const fetchExperiment = async (id: string, dataset: string, into: Target): Promise<boolean> => {
  try {
    await into.document('runs', { path: ['v1', 'experiments', id, 'json'] })
  } catch (error) {
    if (error instanceof FetchFailed && error.status === 404) return false
    throw error
  }
  await into.document('experiment', { path: ['v1', 'experiments', id] })
  await into.document('dataset', { path: ['v1', 'datasets', dataset] })
  return true
}

/** Experiments of all datasets of Phoenix. A server may need no key. */
export const phoenix: Tool = {
  title: 'Phoenix',
  defaultUrl: 'http://localhost:6006',
  credentials: (env) => bearer(keyIn(env, 'PHOENIX_API_KEY'), 'PHOENIX_API_KEY'),
  experiments: async function* (fetching) {
    for await (const dataset of fetching.rows(listAt('datasets', ['v1', 'datasets']))) {
      const datasetId = rowId(dataset)
      const experiments = listAt('experiments', ['v1', 'datasets', datasetId, 'experiments'])
      for await (const experiment of fetching.rows(experiments, datasetId)) {
        if (!isSince(fetching.sinceMs, textAt(experiment, 'updated_at') ?? textAt(experiment, 'created_at'))) continue
        const id = rowId(experiment)
        yield { id, fetch: (into) => fetchExperiment(id, datasetId, into) }
      }
    }
  },
}
