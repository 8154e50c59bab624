import type { List } from './pager.ts'
import { rowId, isSince, keyIn, neededKey, nextOffset, plainRows, rowsIn, type Target, type Tool } from './tool.ts'
import { textAt } from '../../interchange/read/members.ts'

const LIMIT = 100

/** What is asked for of a run: all that an importer reads. */
const SELECT = [
  'completion_tokens',
  'end_time',
  'error',
  'extra',
  'feedback_stats',
  'id',
  'inputs',
  'name',
  'outputs',
  'parent_run_id',
  'prompt_tokens',
  'prompt_token_details',
  'reference_example_id',
  'run_type',
  'session_id',
  'start_time',
  'status',
  'tags',
  'total_cost',
  'total_tokens',
  'trace_id',
]

const offsetList = (name: string, query: Readonly<Record<string, string>>, path: readonly string[] = [name]): List => ({
  name,
  request: (cursor) => ({ path, query: { ...query, limit: String(LIMIT), offset: cursor ?? '0' } }),
  rows: plainRows,
  next: nextOffset(LIMIT),
})

/** Runs of an experiment: its root runs, or the steps in them (child runs). */
const runsOf = (session: string, name: 'runs' | 'steps'): List => ({
  name,
  request: (cursor) => ({
    path: ['runs', 'query'],
    body: {
      session: [session],
      is_root: name === 'runs',
      limit: LIMIT,
      select: SELECT,
      ...(cursor !== null && { cursor }),
    },
  }),
  rows: rowsIn('runs'),
  next: (page) => textAt(page, 'cursors', 'next'),
})

const fetchSession = async (id: string, dataset: string | null, into: Target): Promise<boolean> => {
  if (!(await into.list(runsOf(id, 'runs')))) return false
  await into.list(runsOf(id, 'steps'))
  await into.list(offsetList('feedback', { session: id }))
  if (dataset !== null) {
    await into.list(offsetList('examples', { dataset }))
    await into.document('dataset', { path: ['datasets', dataset] })
  }
  await into.document('session', { path: ['sessions', id] })
  return true
}

/** Experiments of LangSmith: sessions with a dataset, their root runs with the steps in them, feedback and examples. */
export const langsmith: Tool = {
  title: 'LangSmith',
  defaultUrl: 'https://api.smith.langchain.com',
  credentials: (env) => {
    const key = neededKey(env, 'LANGSMITH_API_KEY')
    const workspace = keyIn(env, 'LANGSMITH_WORKSPACE_ID')
    return {
      headers: { 'x-api-key': key, ...(workspace !== null && { 'x-tenant-id': workspace }) },
      secrets: [key],
      variables: 'LANGSMITH_API_KEY; a key of several workspaces also needs LANGSMITH_WORKSPACE_ID',
    }
  },
  experiments: async function* (fetching) {
    for await (const session of fetching.rows(offsetList('sessions', { reference_free: 'false' }))) {
      if (!isSince(fetching.sinceMs, textAt(session, 'start_time'))) continue
      const id = rowId(session)
      yield { id, fetch: (into) => fetchSession(id, textAt(session, 'reference_dataset_id'), into) }
    }
  },
}
