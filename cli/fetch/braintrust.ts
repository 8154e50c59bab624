import { FetchFailed } from './api.ts'
import type { List } from './pager.ts'
import { isObject } from '../../domain/plain/is-object.ts'
import { bearer, rowId, isSince, neededKey, rowsIn, type Target, type Tool } from './tool.ts'
import { textAt } from '../../interchange/read/members.ts'

const LIMIT = 100
/** A service without cursors answers with at most so many events. */
const MAX_EVENTS_WITHOUT_CURSOR = 1_000

/** Newest first. The id of the last one is the cursor, and an empty page the end. */
const EXPERIMENTS: List = {
  name: 'experiments',
  request: (cursor) => ({
    path: ['v1', 'experiment'],
    query: { limit: String(LIMIT), starting_after: cursor ?? undefined },
  }),
  rows: rowsIn('objects'),
  next: (_, rows) => textAt(rows.at(-1), 'id'),
}

/** The limit counts traces, not events. */
const eventList = (experiment: string): List => ({
  name: 'events',
  request: (cursor) => ({
    path: ['v1', 'experiment', experiment, 'fetch'],
    body: { limit: LIMIT, ...(cursor !== null && { cursor }) },
  }),
  rows: rowsIn('events'),
  next: (page, rows) => {
    const cursor = textAt(page, 'cursor')
    const mayBeCut = isObject(page) && !Object.hasOwn(page, 'cursor') && rows.length >= MAX_EVENTS_WITHOUT_CURSOR
    if (mayBeCut)
      throw new FetchFailed(`${rows.length} events without a cursor: the rest cannot be fetched; export it in the app`)
    return rows.length === 0 ? null : cursor
  },
})

const fetchExperiment = async (id: string, project: string | null, into: Target): Promise<boolean> => {
  if (!(await into.list(eventList(id)))) return false
  await into.document('experiment', { path: ['v1', 'experiment', id] })
  if (project !== null) await into.document('project', { path: ['v1', 'project', project] })
  return true
}

/** Experiments of Braintrust and all their events. */
export const braintrust: Tool = {
  title: 'Braintrust',
  defaultUrl: 'https://api.braintrust.dev',
  credentials: (env) => bearer(neededKey(env, 'BRAINTRUST_API_KEY'), 'BRAINTRUST_API_KEY'),
  experiments: async function* (fetching) {
    for await (const experiment of fetching.rows(EXPERIMENTS)) {
      if (!isSince(fetching.sinceMs, textAt(experiment, 'created'))) continue
      const id = rowId(experiment)
      yield { id, fetch: (into) => fetchExperiment(id, textAt(experiment, 'project_id'), into) }
    }
  },
}
