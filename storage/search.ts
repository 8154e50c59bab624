import { hash } from 'node:crypto'

/** Rows of one run in the search index: 0 is the run itself, case n stands at n + 1. */
const ROWS_A_RUN = 2n ** 20n

export const SEARCH_COLUMNS = ['rowid', 'scope', 'name', 'tags', 'error', 'reasons', 'output', 'prompt'] as const

/** The fields a user's words are looked for in: never `scope`. */
export const SEARCH_FIELDS = ['name', 'tags', 'error', 'reasons', 'output', 'prompt'] as const

/** bm25 weights in the order of the columns after rowid; `scope` counts nothing. */
export const SEARCH_WEIGHTS = [0, 8, 4, 2, 2, 1, 1] as const

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

/** The tokens that stand in `scope`: what kind of row it is, its project, and its suite. Hashes, so that any name is one token. */
export const scopeTokens = (kind: 'run' | 'case', { project, suite }: RunSet): string =>
  [`kind${kind}`, ...(project === null ? [] : [token('p', project)]), ...(project === null || suite === null ? [] : [token('s', project, suite)])].join(' ')

/** The one token that stands for a restricted project or suite. */
export const hiddenToken = ({ project, suite }: { readonly project: string; readonly suite: string | null }): string =>
  suite === null ? token('p', project) : token('s', project, suite)

/**
 * An FTS5 expression for rows of one kind that match the user's words and belong to no hidden set, so that visibility
 * is decided inside the match and a hidden row costs and tells nothing.
 */
export const matchExpression = (kind: 'run' | 'case', words: string, hidden: ReadonlyArray<{ readonly project: string; readonly suite: string | null }>): string => {
  const fields = `{${SEARCH_FIELDS.join(' ')}} : (${words})`
  // Runs are few, so their token is a short list to meet; cases are nearly everything, so runs are taken out instead.
  const ofKind = kind === 'run' ? `(${fields}) AND (scope : kindrun)` : `(${fields}) NOT (scope : kindrun)`
  if (hidden.length === 0) return ofKind
  return `(${ofKind}) NOT (scope : (${hidden.map(hiddenToken).join(' OR ')}))`
}
