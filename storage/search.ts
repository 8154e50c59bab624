import { hash } from 'node:crypto'
import { z } from 'zod'
import { any, sql, statement } from './sql.ts'
import type { Query, Statement } from './storage.ts'

/** Rows of one run in the search index: 0 is the run itself, case n stands at n + 1. */
const ROWS_A_RUN = 2n ** 20n

export const SEARCH_COLUMNS = ['rowid', 'scope', 'name', 'tags', 'error', 'reasons', 'output', 'prompt'] as const

/** The fields a user's words are looked for in: never `scope`. */
export const SEARCH_FIELDS = ['name', 'tags', 'error', 'reasons', 'output', 'prompt'] as const

/** bm25 weights in the order of the columns after rowid; `scope` counts nothing. */
const SEARCH_WEIGHTS = [0, 8, 4, 2, 2, 1, 1] as const

// rowids are bound as bigint: a number would be bound as REAL.
export const rowOf = (run_no: number, n: number | null): bigint => BigInt(run_no) * ROWS_A_RUN + BigInt(n === null ? 0 : n + 1)
export const firstRow = (run_no: number): bigint => rowOf(run_no, null)
export const lastRow = (run_no: number): bigint => BigInt(run_no + 1) * ROWS_A_RUN - 1n

/** What a row of the index names: a run, or one of its cases by place. */
export const placeOf = (rowid: number): { run_no: number; n: number | null } => {
  const of = Number(ROWS_A_RUN)
  const within = rowid % of
  return { run_no: Math.floor(rowid / of), n: within === 0 ? null : within - 1 }
}

type RunSet = { readonly project: string | null; readonly suite: string | null }

const token = (kind: string, ...names: readonly string[]): string => kind + hash('sha256', JSON.stringify(names), 'hex').slice(0, 20)

/** The tokens that stand in `scope`: what kind of row it is, how its run used the cache, its project, and its suite. Names as hashes, so that any is one token. */
export const scopeTokens = (kind: 'run' | 'case', { project, suite }: RunSet, fully_cached = false): string =>
  [
    `kind${kind}`,
    ...(fully_cached ? ['fullycached'] : []),
    ...(project === null ? [] : [token('p', project)]),
    ...(project === null || suite === null ? [] : [token('s', project, suite)]),
  ].join(' ')

/** What a viewer must not find: a project or a suite; of a project, `except` these suites. */
export type Hidden = { readonly project: string; readonly suite: string | null; readonly except?: readonly string[] }

/** The one token that stands for a restricted project or suite. */
export const hiddenToken = ({ project, suite }: Hidden): string => (suite === null ? token('p', project) : token('s', project, suite))

const hiddenExpression = (hidden: Hidden): string => {
  const { project, except = [] } = hidden
  if (except.length === 0) return hiddenToken(hidden)
  return `(${hiddenToken(hidden)} NOT (${except.map((suite) => token('s', project, suite)).join(' OR ')}))`
}

/**
 * An FTS5 expression for rows of one kind that match the user's words and belong to no hidden set, so that visibility
 * is decided inside the match and a hidden row costs and tells nothing. `cached` chooses by the run's use of the cache.
 */
export const matchExpression = (kind: 'run' | 'case', words: string, hidden: readonly Hidden[], cached: 'only' | 'exclude' | 'all' = 'all'): string => {
  // Runs are few, so their token is a short list to meet; cases are nearly everything, so runs are taken out instead.
  const meet = [...(kind === 'run' ? ['kindrun'] : []), ...(cached === 'only' ? ['fullycached'] : [])]
  const leave = [...(kind === 'run' ? [] : ['kindrun']), ...(cached === 'exclude' ? ['fullycached'] : []), ...hidden.map(hiddenExpression)]
  const met = [`({${SEARCH_FIELDS.join(' ')}} : (${words}))`, ...meet.map((each) => `(scope : ${each})`)].join(' AND ')
  return leave.length === 0 ? met : `(${met}) NOT (scope : (${leave.join(' OR ')}))`
}

/** Ranking looks at this many of the newest hits: the bound may reorder, it never hides a hit while fewer than `limit` are found. */
const WINDOW = 1000

const Ranked = z.object({ rowid: z.number() })

/** Rows that an expression matches, best first within the window of the newest. */
export const listRanked = (expression: string, limit: number): Query<Array<{ rowid: number }>> =>
  any(sql.type(Ranked)`
    SELECT rowid FROM search
    WHERE search MATCH ${expression} AND rowid >= (
      SELECT coalesce(min(rowid), 0) FROM (SELECT rowid FROM search WHERE search MATCH ${expression} ORDER BY rowid DESC LIMIT ${Math.max(WINDOW, limit)}))
    ORDER BY bm25(search, ${sql.list(SEARCH_WEIGHTS)})
    LIMIT ${limit}`)

/** Takes a run and its cases out of the index. */
export const deleteSearchRows = (run_no: number): Statement => statement`DELETE FROM search WHERE rowid >= ${firstRow(run_no)} AND rowid <= ${lastRow(run_no)}`

/** Empties the index; a contentless one has a command of its own for it. */
export const clearSearch: Statement = statement`INSERT INTO search (search) VALUES ('delete-all')`
