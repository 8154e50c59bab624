import { hash } from 'node:crypto'
import { z } from 'zod'
import { any, mapped, perDialect, sql, statement } from '../sql.ts'
import type { Query, Statement, Value } from '../storage.ts'
import { spanTokens } from './run-blocks.ts'
import { anyOf, wantedOf } from './tsquery.ts'
import type { Scope, Term } from './tsquery.ts'
import { MARK, vectorsOf } from './tsvector.ts'
import type { Weight } from './tsvector.ts'

/** Runs and cases have an index each: a search among runs then never walks the lists of words of all their cases. */
export const SEARCH_TABLES = { run: 'run_search', case: 'search' } as const
export type Kind = keyof typeof SEARCH_TABLES

/** Rows of one run: 0 is the run itself, case n stands at n + 1. */
const ROWS_A_RUN = 2n ** 20n

export const SEARCH_COLUMNS = ['rowid', 'scope', 'name', 'tags', 'error', 'reasons', 'output', 'prompt'] as const

/** The fields a user's words are looked for in: never `scope`. */
export const SEARCH_FIELDS = ['name', 'tags', 'error', 'reasons', 'output', 'prompt'] as const

/** What a word counts by the field it stands in. `scope` counts nothing. */
export const FIELD_WEIGHTS: Readonly<Record<(typeof SEARCH_FIELDS)[number], number>> = {
  name: 8,
  tags: 4,
  error: 2,
  reasons: 2,
  output: 1,
  prompt: 1,
}
const SEARCH_WEIGHTS = [0, ...SEARCH_FIELDS.map((field) => FIELD_WEIGHTS[field])]

/** The same weights as PostgreSQL knows them: by letters, and as figures from D to A. */
const LETTERS: Readonly<Record<number, Weight>> = { 8: 'A', 4: 'B', 2: 'C', 1: 'D' }
const LETTER_WEIGHTS = '{0.125,0.25,0.5,1}'

// rowids are bound as bigint: a number would be bound as REAL.
export const rowOf = (run_no: number, n: number | null): bigint =>
  BigInt(run_no) * ROWS_A_RUN + BigInt(n === null ? 0 : n + 1)
export const firstRow = (run_no: number): bigint => rowOf(run_no, null)
export const lastRow = (run_no: number): bigint => BigInt(run_no + 1) * ROWS_A_RUN - 1n

/** What a row of the index names: a run, or one of its cases by place. */
export const placeOf = (rowid: number): { run_no: number; n: number | null } => {
  const of = Number(ROWS_A_RUN)
  const within = rowid % of
  return { run_no: Math.floor(rowid / of), n: within === 0 ? null : within - 1 }
}

type RunSet = { readonly project: string | null; readonly suite: string | null }

// What begins with a mark is no word of a text or of a user, so scope tokens stand apart from all words.
const token = (kind: string, ...names: readonly string[]): string =>
  `${MARK}${kind}${hash('sha256', JSON.stringify(names), 'hex').slice(0, 20)}`
const FULLY_CACHED = `${MARK}fullycached`

/** The one token that stands for a run set; runs without a project are in none, and have one among themselves. */
export const setToken = ({ project, suite }: RunSet): string =>
  project === null ? `${MARK}noproject` : token('s', project, ...(suite === null ? [] : [suite]))

/**
 * The tokens that stand in a row besides its words: how its run used the cache, its project (empty for none), and its
 * set. Names as hashes, so that any is one token.
 */
export type RowScope = { readonly tokens: readonly string[]; readonly project: string; readonly set: string }

export const scopeOf = (of: RunSet, fully_cached = false): RowScope => {
  const project = of.project === null ? '' : token('p', of.project)
  const set = setToken(of)
  return { tokens: [...(fully_cached ? [FULLY_CACHED] : []), ...(project === '' ? [] : [project]), set], project, set }
}

/** The same as SQLite holds them. */
export const scopeTokens = (of: RunSet, fully_cached = false): string => scopeOf(of, fully_cached).tokens.join(' ')

/** What a viewer must not find: a project or a suite; of a project, `except` these suites. */
export type Hidden = { readonly project: string; readonly suite: string | null; readonly except?: readonly string[] }

/** The one token that stands for a restricted project or suite. */
export const hiddenToken = ({ project, suite }: Hidden): string =>
  suite === null ? token('p', project) : setToken({ project, suite })

/** What a viewer may find: all but what is hidden, or the run sets named and what no project names. */
export type Visibility = { readonly hidden: readonly Hidden[] } | { readonly visible: readonly RunSet[] }

/**
 * A user's terms. SQLite reads them as FTS5 expressions, for rows that hold them all and rows that hold any of them;
 * PostgreSQL word by word.
 */
export type Words = { readonly all: string; readonly any: string; readonly terms: readonly Term[] }

/** What is looked for: words, in rows of a scope. */
export type Match = { readonly words: Words; readonly scope: Scope }

/**
 * A match of rows that hold the user's words and belong to no hidden set, so that visibility is decided inside the
 * index and a hidden row costs and tells nothing. `cached` chooses by the run's use of the cache.
 */
export const matching = (words: Words, sight: Visibility, cached: 'only' | 'exclude' | 'all' = 'all'): Match => {
  const seen = 'visible' in sight ? [NO_PROJECT, ...sight.visible].map(setToken) : null
  const hidden =
    'hidden' in sight ? sight.hidden.map((each) => ({ token: hiddenToken(each), spared: sparedBy(each) })) : []
  return {
    words,
    scope: {
      meet: cached === 'only' ? [FULLY_CACHED] : [],
      not: cached === 'exclude' ? [FULLY_CACHED] : [],
      seen,
      hidden,
    },
  }
}

const NO_PROJECT: RunSet = { project: null, suite: null }

const sparedBy = ({ project, except = [] }: Hidden): string[] => except.map((suite) => setToken({ project, suite }))

const table = (kind: Kind) => sql.identifier([SEARCH_TABLES[kind]])

const inFields = (words: string, fields: readonly string[] = SEARCH_FIELDS): string =>
  `({${fields.join(' ')}} : (${words}))`

const matchExpression = ({ words, scope: { meet, not, seen, hidden } }: Match): string => {
  const asked = [...(seen === null ? [] : [`(${seen.join(' OR ')})`]), ...meet]
  const met = `(${[inFields(words.all), ...asked.map((each) => `(scope : ${each})`)].join(' AND ')})`
  const left = [...not.map((each) => ({ token: each, spared: [] })), ...hidden].map(({ token, spared }) =>
    spared.length === 0 ? token : `(${token} NOT (${spared.join(' OR ')}))`,
  )
  return left.length === 0 ? met : `(${met} NOT (scope : (${left.join(' OR ')})))`
}

/** How many of the newest hits are ranked against each other: the bound may reorder, it never hides a hit. */
export const WINDOW = 1000

const Row = z.object({ rowid: z.number() })

/** Above every row. */
const TOP = 2n ** 63n - 1n

/**
 * The newest rows that match, or the next below one. SQLite reads them one by one from the end of each list of the
 * index: how many there are in all costs nothing.
 */
export const listNewest = (kind: Kind, match: Match, below: number | null, count = WINDOW): Query<number[]> => {
  const expression = matchExpression(match)
  const { words, phrases, seen, hidden, spared } = wantedOf(match.words.terms, match.scope)
  return mapped(
    any(
      perDialect(
        sql.type(Row)`
          SELECT rowid FROM ${table(kind)} WHERE ${table(kind)} MATCH ${expression} AND ${below === null ? sql.fragment`TRUE` : sql.fragment`rowid < ${BigInt(below)}`}
          ORDER BY rowid DESC LIMIT ${count}`,
        sql.type(Row)`
          SELECT rowid FROM ${sql.identifier([`newest_of_${SEARCH_TABLES[kind]}`])}(
            CAST(${words} AS tsquery), CAST(${phrases} AS tsquery[]), CAST(${seen} AS text[]), CAST(${hidden} AS text[]), CAST(${spared} AS text[]),
            ${below === null ? TOP : BigInt(below)}, ${count}) AS rowid`,
      ),
    ),
    (rows) => rows.map(({ rowid }) => rowid),
  )
}

/** Rows up to which SQLite's bm25 is worth its price: it goes through every row of every word, hidden ones too. */
const MANY = 10_000

/** Whether words stand in so many rows that bm25 costs too much. */
export const areCommon = (kind: Kind, { any: some }: Words): Query<boolean> =>
  mapped(
    any(
      sql.type(
        Row,
      )`SELECT rowid FROM ${table(kind)} WHERE ${table(kind)} MATCH ${inFields(some)} LIMIT 1 OFFSET ${MANY}`,
    ),
    (rows) => rows.length > 0,
  )

const Scored = z.object({ rowid: z.number(), score: z.number() })
type Scores = Query<Array<z.infer<typeof Scored>>>

/** The most bytes of a row as it is stored that PostgreSQL weighs: all of a row is read for it. */
const WEIGHED_BYTES = 64 * 1024

/**
 * What rows weigh by their words, newest first given; the lower the better. SQLite's bm25 weighs a word by how many
 * rows hold it, PostgreSQL's rank knows of no other row.
 */
export const listScores = (kind: Kind, { all, terms }: Words, rows: readonly number[]): Scores =>
  any(
    perDialect(
      sql.type(Scored)`
        SELECT rowid, bm25(${table(kind)}, ${sql.list(SEARCH_WEIGHTS)}) AS score FROM ${table(kind)}
        WHERE ${table(kind)} MATCH ${inFields(all)} AND rowid >= ${BigInt(rows.at(-1) ?? 0)} AND rowid <= ${BigInt(rows[0] ?? 0)}`,
      sql.type(Scored)`
        SELECT rowid, -ts_rank(CAST(${LETTER_WEIGHTS} AS real[]), words, CAST(${anyOf(terms)} AS tsquery), 1) AS score FROM ${table(kind)}
        WHERE rowid = ANY (CAST(${`{${rows.join(',')}}`} AS bigint[])) AND pg_column_size(words) <= ${WEIGHED_BYTES}`,
    ),
  )

const TermRow = z.object({ term: z.string() })

/**
 * SQLite alone: the first word of an index from a text on, in byte order; null past the last. One look into each part
 * of the index, however many rows the word has.
 */
export const findWord = (kind: Kind, from: string): Query<string | null> =>
  mapped(
    any(
      sql.type(
        TermRow,
      )`SELECT term FROM ${sql.identifier([`${SEARCH_TABLES[kind]}_words`])} WHERE term >= ${from} LIMIT 1`,
    ),
    (rows) => rows[0]?.term ?? null,
  )

/** Takes a run and its cases out of the index. */
export const deleteSearchRows = (run_no: number): Statement[] =>
  (['run', 'case'] as const).map(
    (kind) => statement`DELETE FROM ${table(kind)} WHERE rowid >= ${firstRow(run_no)} AND rowid <= ${lastRow(run_no)}`,
  )

/** How PostgreSQL holds a row: see `Vectors`. */
export const VECTOR_COLUMNS = ['rowid', 'project_token', 'set_token', 'words', 'parts'] as const

/** A row of the index for PostgreSQL, from the words of each field in order. */
export const vectorRow = (
  rowid: bigint,
  { tokens, project, set }: RowScope,
  wordsOf: Readonly<Record<(typeof SEARCH_FIELDS)[number], readonly string[]>>,
): Value[] => {
  const fields = SEARCH_FIELDS.map((field) => ({ words: wordsOf[field], weight: LETTERS[FIELD_WEIGHTS[field]] ?? 'D' }))
  const { words, parts } = vectorsOf(fields, [...tokens, ...spanTokens(Number(rowid / ROWS_A_RUN))])
  return [rowid, project, set, words, parts]
}
