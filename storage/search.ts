import { hash } from 'node:crypto'
import { z } from 'zod'
import { any, mapped, sql, statement } from './sql.ts'
import type { Query, Statement } from './storage.ts'

/** Runs and cases have an index each: a search among runs then never walks the lists of words of all their cases. */
export const SEARCH_TABLES = { run: 'run_search', case: 'search' } as const
export type Kind = keyof typeof SEARCH_TABLES

/** Rows of one run: 0 is the run itself, case n stands at n + 1. */
const ROWS_A_RUN = 2n ** 20n

export const SEARCH_COLUMNS = ['rowid', 'scope', 'name', 'tags', 'error', 'reasons', 'output', 'prompt'] as const

/** The fields a user's words are looked for in: never `scope`. */
export const SEARCH_FIELDS = ['name', 'tags', 'error', 'reasons', 'output', 'prompt'] as const

/** What a word counts by the field it stands in. `scope` counts nothing. */
export const FIELD_WEIGHTS: Readonly<Record<(typeof SEARCH_FIELDS)[number], number>> = { name: 8, tags: 4, error: 2, reasons: 2, output: 1, prompt: 1 }
const SEARCH_WEIGHTS = [0, ...SEARCH_FIELDS.map((field) => FIELD_WEIGHTS[field])]

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

// No letter and no digit: no word of a text or of a user begins with it, so scope tokens stand apart from all words.
const MARK = '\u{e000}'
const token = (kind: string, ...names: readonly string[]): string => `${MARK}${kind}${hash('sha256', JSON.stringify(names), 'hex').slice(0, 20)}`
const FULLY_CACHED = `${MARK}fullycached`

/** The one token that stands for a run set; runs without a project are in none, and have one among themselves. */
export const setToken = ({ project, suite }: RunSet): string => (project === null ? `${MARK}noproject` : token('s', project, ...(suite === null ? [] : [suite])))

/** The tokens that stand in `scope`: how the row's run used the cache, its project, and its set. Names as hashes, so that any is one token. */
export const scopeTokens = (set: RunSet, fully_cached = false): string =>
  [...(fully_cached ? [FULLY_CACHED] : []), ...(set.project === null ? [] : [token('p', set.project)]), setToken(set)].join(' ')

/** What a viewer must not find: a project or a suite; of a project, `except` these suites. */
export type Hidden = { readonly project: string; readonly suite: string | null; readonly except?: readonly string[] }

/** The one token that stands for a restricted project or suite. */
export const hiddenToken = ({ project, suite }: Hidden): string => (suite === null ? token('p', project) : setToken({ project, suite }))

const hiddenExpression = (hidden: Hidden): string => {
  const { project, except = [] } = hidden
  if (except.length === 0) return hiddenToken(hidden)
  return `(${hiddenToken(hidden)} NOT (${except.map((suite) => setToken({ project, suite })).join(' OR ')}))`
}

/** What a viewer may find: all but what is hidden, or the run sets named and what no project names. */
export type Sight = { readonly hidden: readonly Hidden[] } | { readonly visible: readonly RunSet[] }

/**
 * An FTS5 expression for rows that match the user's words and belong to no hidden set, so that visibility is decided
 * inside the match and a hidden row costs and tells nothing. `cached` chooses by the run's use of the cache.
 */
export const matchExpression = (words: string, sight: Sight, cached: 'only' | 'exclude' | 'all' = 'all'): string => {
  const seen = 'visible' in sight ? [`(${[NO_PROJECT, ...sight.visible].map(setToken).join(' OR ')})`] : []
  const meet = [...seen, ...(cached === 'only' ? [FULLY_CACHED] : [])]
  const hidden = 'hidden' in sight ? sight.hidden.map(hiddenExpression) : []
  const leave = [...(cached === 'exclude' ? [FULLY_CACHED] : []), ...hidden]
  const met = `(${[inFields(words), ...meet.map((each) => `(scope : ${each})`)].join(' AND ')})`
  return leave.length === 0 ? met : `(${met} NOT (scope : (${leave.join(' OR ')})))`
}

const NO_PROJECT: RunSet = { project: null, suite: null }

/** A user's terms as FTS5 expressions: rows that hold them all, and rows that hold any of them. */
export type Words = { readonly all: string; readonly any: string }

const table = (kind: Kind) => sql.identifier([SEARCH_TABLES[kind]])

const inFields = (words: string, fields: readonly string[] = SEARCH_FIELDS): string => `({${fields.join(' ')}} : (${words}))`

/** How many of the newest hits are ranked against each other: the bound may reorder, it never hides a hit. */
export const WINDOW = 1000

const Row = z.object({ rowid: z.number() })

/** The newest rows that an expression matches, or the next below one. Read one by one from the end of each list of the index: how many there are in all costs nothing. */
export const listNewest = (kind: Kind, expression: string, below: number | null, count = WINDOW): Query<number[]> =>
  mapped(
    any(sql.type(Row)`
      SELECT rowid FROM ${table(kind)} WHERE ${table(kind)} MATCH ${expression} AND ${below === null ? sql.fragment`TRUE` : sql.fragment`rowid < ${BigInt(below)}`}
      ORDER BY rowid DESC LIMIT ${count}`),
    (rows) => rows.map(({ rowid }) => rowid),
  )

/** Rows up to which bm25 is worth its price: it goes through every row of every word, hidden ones too. */
const MANY = 10_000

/** Whether words stand in so many rows that bm25 costs too much. */
export const areCommon = (kind: Kind, { any: some }: Words): Query<boolean> =>
  mapped(any(sql.type(Row)`SELECT rowid FROM ${table(kind)} WHERE ${table(kind)} MATCH ${inFields(some)} LIMIT 1 OFFSET ${MANY}`), (rows) => rows.length > 0)

const Scored = z.object({ rowid: z.number(), score: z.number() })
type Span = { readonly from: number; readonly to: number }
type Scores = Query<Array<z.infer<typeof Scored>>>

/** bm25 of the rows that hold all words, between two rows; the lower the better. */
export const listScores = (kind: Kind, { all }: Words, { from, to }: Span): Scores =>
  any(sql.type(Scored)`
    SELECT rowid, bm25(${table(kind)}, ${sql.list(SEARCH_WEIGHTS)}) AS score FROM ${table(kind)}
    WHERE ${table(kind)} MATCH ${inFields(all)} AND rowid >= ${BigInt(from)} AND rowid <= ${BigInt(to)}`)

const TermRow = z.object({ term: z.string() })

/** The first word of an index from a text on, in byte order; null past the last. One look into each part of the index, however many rows the word has. */
export const findWord = (kind: Kind, from: string): Query<string | null> =>
  mapped(any(sql.type(TermRow)`SELECT term FROM ${sql.identifier([`${SEARCH_TABLES[kind]}_words`])} WHERE term >= ${from} LIMIT 1`), (rows) => rows[0]?.term ?? null)

/** Takes a run and its cases out of the index. */
export const deleteSearchRows = (run_no: number): Statement[] =>
  (['run', 'case'] as const).map((kind) => statement`DELETE FROM ${table(kind)} WHERE rowid >= ${firstRow(run_no)} AND rowid <= ${lastRow(run_no)}`)
