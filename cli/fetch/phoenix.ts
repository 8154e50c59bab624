import { FetchFailed } from './api.ts'
import type { List } from './pager.ts'
import { BodyRefused } from '../../engine/http/read-body.ts'
import { bearer, rowId, isSince, keyIn, rowsIn, type Fetching, type Target, type Tool } from './tool.ts'
import { textAt } from '../../interchange/read/members.ts'

const LIMIT = '100'
/** Spans have whole conversations: where an answer is too large, the next page is smaller. */
const SPANS_LIMITS = ['50', '10', '1'] as const
/** The project that Phoenix makes for the traces of one experiment. Another one has those of other experiments too. */
const OWN_PROJECT = /^Experiment-[0-9a-f]+$/

const listAt = (name: string, path: readonly string[], limit = LIMIT): List => ({
  name,
  request: (cursor) => ({ path, query: { limit, cursor: cursor ?? undefined } }),
  rows: rowsIn('data'),
  next: (page) => textAt(page, 'next_cursor'),
})

/** The download is one answer. An experiment that did not run yet has none. */
const fetchExperiment = async (
  id: string,
  dataset: string,
  into: Target,
  failed: Fetching['failed'],
): Promise<boolean> => {
  if (!(await isThere(into.document('runs', { path: ['v1', 'experiments', id, 'json'] })))) return false
  await into.document('experiment', { path: ['v1', 'experiments', id] })
  await into.document('dataset', { path: ['v1', 'datasets', dataset] })
  const project = textAt(into.content('experiment'), 'data', 'project_name')
  if (project !== null && OWN_PROJECT.test(project)) {
    const error = await spansFailure(project, into)
    if (error !== null) failed(`${id} (spans)`, error)
  }
  return true
}

/** Fetches the spans of a project, if there are any, and returns why some are missing: the cases can be imported without them. */
const spansFailure = async (project: string, into: Target): Promise<FetchFailed | null> => {
  let failure: FetchFailed | null = null
  for (const limit of SPANS_LIMITS) {
    const list = listAt('spans', ['v1', 'projects', project, 'spans'], limit)
    let isFirst = true
    const request: List['request'] = (cursor) => {
      isFirst = cursor === null
      return list.request(cursor)
    }
    try {
      await into.list({ ...list, request })
      return null
    } catch (error) {
      if (!(error instanceof FetchFailed)) throw error
      // An old server has no route for spans, or shows its page there. The project of an experiment without traces is not there.
      if (isFirst && (error.status === 404 || error.cause instanceof SyntaxError)) return null
      failure = error
      if (!(error.cause instanceof BodyRefused)) break
    }
  }
  return failure
}

const isThere = async (answer: Promise<unknown>): Promise<boolean> => {
  try {
    await answer
  } catch (error) {
    if (error instanceof FetchFailed && error.status === 404) return false
    throw error
  }
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
        yield { id, fetch: (into) => fetchExperiment(id, datasetId, into, fetching.failed) }
      }
    }
  },
}
