import { hash } from 'node:crypto'
import { z } from 'zod'
import {
  any,
  mapped,
  one,
  perDialect,
  prepared,
  sql,
  statement,
  type Fragment,
  type Schema,
  type Typed,
} from '../sql.ts'
import type { Query, Statement, Value } from '../storage.ts'
import { spanTokens } from './run-blocks.ts'
import { anyTermQuery, conditionsOf, type Scope, type Wanted } from './tsquery.ts'
import { MARK, vectorsOf, withRunTokens, type OpenVectors, type Weight } from './tsvector.ts'

/** Runs and cases have separate indexes, so that a search for runs never walks the posting lists of all their cases. */
export const SEARCH_TABLES = { run: 'run_search', case: 'search' } as const
export type Kind = keyof typeof SEARCH_TABLES

/**
 * The version of the read model. Raise it if stored rows change. Since version 3, rows have grams of what is found from
 * any part of it, and ids.
 */
export const SEARCH_VERSION = 3

/** The row numbers of one run: 0 is the run itself, n + 1 is case n, or in the index of runs what was added to the run. */
const ROWS_PER_RUN = 2n ** 20n

export const SEARCH_COLUMNS = ['rowid', 'scope', 'name', 'tags', 'error', 'reasons', 'output', 'prompt'] as const

/** The fields in which a user's words are searched: never `scope`. */
export const SEARCH_FIELDS = ['name', 'tags', 'error', 'reasons', 'output', 'prompt'] as const

/** The weight of a word by its field. `scope` has none. */
export const FIELD_WEIGHTS: Readonly<Record<(typeof SEARCH_FIELDS)[number], number>> = {
  name: 8,
  tags: 4,
  error: 2,
  reasons: 2,
  output: 1,
  prompt: 1,
}
const SEARCH_WEIGHTS = [0, ...SEARCH_FIELDS.map((field) => FIELD_WEIGHTS[field])]

/** The same weights for PostgreSQL: as letters, and as numbers from D to A. */
const LETTERS: Readonly<Record<number, Weight>> = { 8: 'A', 4: 'B', 2: 'C', 1: 'D' }
const LETTER_WEIGHTS = '{0.125,0.25,0.5,1}'

// rowids are bound as bigint: SQLite would bind a number as REAL.
export const searchRowid = (run_no: number, n: number | null): bigint =>
  BigInt(run_no) * ROWS_PER_RUN + BigInt(n === null ? 0 : n + 1)
export const firstRow = (run_no: number): bigint => searchRowid(run_no, null)
export const lastRow = (run_no: number): bigint => BigInt(run_no + 1) * ROWS_PER_RUN - 1n

/** The run of a row, and the position of its case; `n` is null for the run itself. */
export const searchEntry = (rowid: number): { run_no: number; n: number | null } => {
  const rowsPerRun = Number(ROWS_PER_RUN)
  const offset = rowid % rowsPerRun
  return { run_no: Math.floor(rowid / rowsPerRun), n: offset === 0 ? null : offset - 1 }
}

/** A table of values as SQL: SQLite reads them from a JSON text, PostgreSQL from an array. */
const valuesTable = <S extends Schema>(
  values: readonly number[],
  columns: Fragment,
  query: (table: Fragment) => Typed<S>,
): Typed<S> =>
  perDialect(
    query(sql.fragment`(SELECT ${columns} FROM json_each(${`[${values.join(',')}]`}))`),
    query(sql.fragment`(SELECT ${columns} FROM unnest(CAST(${`{${values.join(',')}}`} AS bigint[])) AS value)`),
  )

/** A query with a table of these run numbers, which has the column `run_no`. */
export const runsAt = <S extends Schema>(run_nos: readonly number[], query: (table: Fragment) => Typed<S>): Typed<S> =>
  valuesTable(run_nos, sql.fragment`value AS run_no`, query)

/** A query with a table of the cases at these rows, which has the columns `run_no` and `n`. */
export const casesAt = <S extends Schema>(rows: readonly number[], query: (table: Fragment) => Typed<S>): Typed<S> =>
  valuesTable(rows, sql.fragment`value >> 20 AS run_no, (value & 1048575) - 1 AS n`, query)

type RunSet = { readonly project: string | null; readonly suite: string | null }

// Words of texts and users never start with a mark, so scope tokens differ from all words.
const token = (kind: string, ...names: readonly string[]): string =>
  `${MARK}${kind}${hash('sha256', JSON.stringify(names), 'hex').slice(0, 20)}`
const FULLY_CACHED = `${MARK}fullycached`

/** The token of a run set. Runs without a project belong to no set and share one token. */
export const setToken = ({ project, suite }: RunSet): string =>
  project === null ? `${MARK}noproject` : token('s', project, ...(suite === null ? [] : [suite]))

/**
 * The tokens of a row in addition to its words: the cache use of its run, its project (empty if none), and its set.
 * Names are hashed, so that each name is one token.
 */
export type RowScope = { readonly tokens: readonly string[]; readonly project: string; readonly set: string }

export const rowScope = (runSet: RunSet, fully_cached = false): RowScope => {
  const project = runSet.project === null ? '' : token('p', runSet.project)
  const set = setToken(runSet)
  return { tokens: [...(fully_cached ? [FULLY_CACHED] : []), ...(project === '' ? [] : [project]), set], project, set }
}

/** The same tokens as text, for SQLite. */
export const scopeTokens = (runSet: RunSet, fully_cached = false): string =>
  rowScope(runSet, fully_cached).tokens.join(' ')

/** A project or a suite that a viewer must not find. Of a project, the suites in `except` stay visible. */
export type Hidden = { readonly project: string; readonly suite: string | null; readonly except?: readonly string[] }

/** The token of a restricted project or suite. */
export const hiddenToken = ({ project, suite }: Hidden): string =>
  suite === null ? token('p', project) : setToken({ project, suite })

/**
 * What a viewer may find: everything except the hidden sets; or only the listed run sets, and runs without a project. With
 * `limit`, only what is in this project or suite.
 */
export type Visibility = ({ readonly hidden: readonly Hidden[] } | { readonly visible: readonly RunSet[] }) & {
  readonly limit?: Hidden | null
}

/**
 * A user's terms. SQLite uses the FTS5 expressions: `all` matches rows with all terms, `each` has one for each term.
 * PostgreSQL uses the words of `terms`.
 */
export type Words = { readonly all: string; readonly each: readonly string[]; readonly terms: readonly Wanted[] }

/** A search: words, in the rows of a scope. */
export type Match = { readonly words: Words; readonly scope: Scope }

/**
 * Matches rows that contain the user's words and belong to no hidden set. The index itself applies visibility, so that
 * a hidden row costs nothing and reveals nothing. `cached` filters by the run's use of the cache.
 */
export const searchMatch = (
  words: Words,
  visibility: Visibility,
  cached: 'only' | 'exclude' | 'all' = 'all',
): Match => {
  const seen = 'visible' in visibility ? [NO_PROJECT, ...visibility.visible].map(setToken) : null
  const hidden =
    'hidden' in visibility
      ? visibility.hidden.map((hiddenSet) => ({ token: hiddenToken(hiddenSet), exempt: exemptTokens(hiddenSet) }))
      : []
  return {
    words,
    scope: {
      required: [
        ...(cached === 'only' ? [FULLY_CACHED] : []),
        ...(visibility.limit ? [hiddenToken(visibility.limit)] : []),
      ],
      excluded: cached === 'exclude' ? [FULLY_CACHED] : [],
      seen,
      hidden,
    },
  }
}

/** Whether a search finds all rows that contain its words. */
export const isEverywhere = ({ scope: { required, excluded, seen, hidden } }: Match): boolean =>
  required.length === 0 && excluded.length === 0 && seen === null && hidden.length === 0

const NO_PROJECT: RunSet = { project: null, suite: null }

const exemptTokens = ({ project, except = [] }: Hidden): string[] => except.map((suite) => setToken({ project, suite }))

const table = (kind: Kind) => sql.identifier([SEARCH_TABLES[kind]])

const inFields = (words: string, fields: readonly string[] = SEARCH_FIELDS): string =>
  `({${fields.join(' ')}} : (${words}))`

const matchExpression = ({ words, scope: { required, excluded, seen, hidden } }: Match): string => {
  const conditions = [...(seen === null ? [] : [`(${seen.join(' OR ')})`]), ...required]
  const included = `(${[inFields(words.all), ...conditions.map((condition) => `(scope : ${condition})`)].join(' AND ')})`
  const excludedTokens = [...excluded.map((token) => ({ token, exempt: [] })), ...hidden].map(({ token, exempt }) =>
    exempt.length === 0 ? token : `(${token} NOT (${exempt.join(' OR ')}))`,
  )
  return excludedTokens.length === 0 ? included : `(${included} NOT (scope : (${excludedTokens.join(' OR ')})))`
}

/**
 * The number of newest hits that are ranked against each other. The limit may change the order, but it hides no hit.
 */
export const MAX_RANKED_HITS = 1000

const Row = z.object({ rowid: z.number() })

/** Above every row number. */
const MAX_ROW = 2n ** 63n - 1n

/**
 * The newest rows that match, below `below` if given. SQLite reads them one by one from the end of each posting list,
 * so the cost does not grow with the total number of matches.
 */
export const listNewest = (
  kind: Kind,
  match: Match,
  below: number | null,
  count = MAX_RANKED_HITS,
): Query<number[]> => {
  const expression = matchExpression(match)
  const { words, terms, scope, phrases, seen, hidden, exempt } = conditionsOf(match.words.terms, match.scope)
  const rows = mapped(
    any(
      perDialect(
        sql.type(Row)`
          SELECT rowid FROM ${table(kind)}
          WHERE ${table(kind)} MATCH ${expression} AND ${below === null ? sql.fragment`TRUE` : sql.fragment`rowid < ${BigInt(below)}`}
          ORDER BY rowid DESC LIMIT ${count}`,
        sql.type(Row)`
          SELECT rowid FROM ${sql.identifier([`newest_of_${SEARCH_TABLES[kind]}`])}(
            CAST(${words} AS tsquery), CAST(${terms} AS tsquery[]), CAST(${scope} AS tsquery), CAST(${phrases} AS tsquery[]),
            CAST(${seen} AS text[]), CAST(${hidden} AS text[]), CAST(${exempt} AS text[]),
            ${below === null ? MAX_ROW : BigInt(below)}, ${count}) AS rowid`,
      ),
    ),
    (found) => found.map(({ rowid }) => rowid),
  )
  return prepared(rows)
}

/**
 * The maximum number of rows of one term for which SQLite's bm25 is affordable: it reads every row of every term, hidden
 * rows included.
 */
const MAX_RANKED_ROWS = 2_500

const Common = z.object({ is_common: z.number() })

/**
 * Whether one of the terms is in so many rows that bm25 is too expensive. Each term is counted by itself, which takes a
 * quarter of the time that counting the rows of any term takes.
 */
export const areTooCommon = (kind: Kind, { each }: Words): Query<boolean> => {
  const isCommon = each.map(
    (term) =>
      sql.fragment`EXISTS (
        SELECT 1 FROM (SELECT 1 FROM ${table(kind)} WHERE ${table(kind)} MATCH ${term} LIMIT 1 OFFSET ${MAX_RANKED_ROWS}) term)`,
  )
  return mapped(
    one(sql.type(Common)`SELECT ${sql.join(isCommon, sql.fragment` OR `)} AS is_common`),
    ({ is_common }) => is_common === 1,
  )
}

const Scored = z.object({ rowid: z.number(), score: z.number() })
type Scores = Query<Array<z.infer<typeof Scored>>>

/** The maximum stored size of a row that PostgreSQL ranks, because ranking reads the whole row. */
const MAX_RANKED_BYTES = 64 * 1024

/**
 * The scores of `rows`, which must be ordered newest first. A lower score is better. SQLite's bm25 weighs a word by the
 * number of rows that contain it. PostgreSQL's rank does not depend on other rows.
 */
export const listScores = (kind: Kind, { all, terms }: Words, rows: readonly number[]): Scores =>
  prepared(
    any(
      perDialect(
        sql.type(Scored)`
        SELECT rowid, bm25(${table(kind)}, ${sql.list(SEARCH_WEIGHTS)}) AS score FROM ${table(kind)}
        WHERE ${table(kind)} MATCH ${inFields(all)} AND rowid >= ${BigInt(rows.at(-1) ?? 0)} AND rowid <= ${BigInt(rows[0] ?? 0)}`,
        sql.type(Scored)`
        SELECT rowid, -ts_rank(CAST(${LETTER_WEIGHTS} AS real[]), words, CAST(${anyTermQuery(terms)} AS tsquery), 1) AS score FROM ${table(kind)}
        WHERE rowid = ANY (CAST(${`{${rows.join(',')}}`} AS bigint[])) AND pg_column_size(words) <= ${MAX_RANKED_BYTES}`,
      ),
    ),
  )

const TermRow = z.object({ term: z.string() })

/**
 * SQLite only: the first indexed word, in byte order, that is `from` or after it; null if there is none. Costs one
 * lookup in each segment of the index. But if `from` is in no row, and the word before it is in many, FTS5 steps over all
 * pages of that word: 2 ms for each million rows.
 */
export const findWord = (kind: Kind, from: string): Query<string | null> =>
  mapped(
    any(
      sql.type(TermRow)`
        SELECT term FROM ${sql.identifier([`${SEARCH_TABLES[kind]}_words`])} WHERE term >= ${from} LIMIT 1`,
    ),
    (rows) => rows[0]?.term ?? null,
  )

/**
 * The row of what was added to a run, by the version of its record in the stream of the run: the run as it is found since.
 * A run has at most one of them.
 */
export const annotationRow = (run_no: number, version: number): bigint =>
  firstRow(run_no) + 1n + (BigInt(version) % (ROWS_PER_RUN - 1n))

/** Removes from the index what was added to a run, or only what one record added. */
export const deleteAnnotationRows = (run_no: number, version: number | null): Statement => {
  const [from, to] =
    version === null
      ? [firstRow(run_no) + 1n, lastRow(run_no)]
      : [annotationRow(run_no, version), annotationRow(run_no, version)]
  return statement`DELETE FROM ${table('run')} WHERE rowid >= ${from} AND rowid <= ${to}`
}

/** Removes a run and its cases from the index. */
export const deleteSearchRows = (run_no: number): Statement[] =>
  (['run', 'case'] as const).map(
    (kind) => statement`DELETE FROM ${table(kind)} WHERE rowid >= ${firstRow(run_no)} AND rowid <= ${lastRow(run_no)}`,
  )

/** The columns of a row on PostgreSQL: see `Vectors`. */
export const VECTOR_COLUMNS = ['rowid', 'project_token', 'set_token', 'words', 'parts'] as const

/** The vectors of a row of the PostgreSQL index, from the words of each field in order, still without the tokens of its run. */
export const rowVectors = (
  { tokens }: RowScope,
  wordsOf: Readonly<Record<(typeof SEARCH_FIELDS)[number], readonly string[]>>,
): OpenVectors => {
  const fields = SEARCH_FIELDS.map((field) => ({ words: wordsOf[field], weight: LETTERS[FIELD_WEIGHTS[field]] ?? 'D' }))
  return vectorsOf(fields, tokens)
}

/** A row of the PostgreSQL index. */
export const vectorRow = (rowid: bigint, { project, set }: RowScope, vectors: OpenVectors): Value[] => [
  rowid,
  project,
  set,
  withRunTokens(vectors, spanTokens(Number(rowid / ROWS_PER_RUN))),
  vectors.parts,
]
