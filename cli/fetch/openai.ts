import type { List } from './pager.ts'
import { isObject } from '../../domain/plain/is-object.ts'
import { bearer, rowId, isSince, neededKey, rowsIn, type Row, type Target, type Tool } from './tool.ts'
import { textAt } from '../../interchange/read/members.ts'

const LIMIT = '100'

const listAt = (name: string, path: readonly string[]): List => ({
  name,
  request: (cursor) => ({ path, query: { limit: LIMIT, order: 'asc', after: cursor ?? undefined } }),
  rows: rowsIn('data'),
  // As the SDK does: the id of the last object, while there is more.
  next: (page, rows) => (isObject(page) && page['has_more'] === true ? textAt(rows.at(-1), 'id') : null),
})

const fetchRun = async (evaluation: string, run: string, into: Target): Promise<boolean> => {
  const path = ['evals', evaluation, 'runs', run]
  if (!(await into.list(listAt('items', [...path, 'output_items'])))) return false
  await into.document('run', { path })
  await into.document('eval', { path: ['evals', evaluation] })
  return true
}

const createdTime = (row: Row): string | null => {
  const seconds = row['created_at']
  return typeof seconds === 'number' && Math.abs(seconds) < 8e12 ? new Date(seconds * 1000).toISOString() : null
}

/** Runs of the evaluations that OpenAI hosts. */
export const openai: Tool = {
  title: 'OpenAI',
  defaultUrl: 'https://api.openai.com/v1',
  credentials: (env) => bearer(neededKey(env, 'OPENAI_API_KEY'), 'OPENAI_API_KEY'),
  experiments: async function* (fetching) {
    for await (const evaluation of fetching.rows(listAt('evals', ['evals']))) {
      const evalId = rowId(evaluation)
      for await (const run of fetching.rows(listAt('runs', ['evals', evalId, 'runs']), evalId)) {
        if (!isSince(fetching.sinceMs, createdTime(run))) continue
        const id = rowId(run)
        yield { id, fetch: (into) => fetchRun(evalId, id, into) }
      }
    }
  },
}
