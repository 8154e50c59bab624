import type { AnnotationTexts, RunAnnotated } from '../commands/annotation/events.ts'
import { scopeOfRun, searchVectors, type StoredRun } from '../commands/run/stored-run.ts'
import { runPartWords, runSearchText, type SearchText } from '../domain/search/search-text.ts'
import {
  annotationRow,
  deleteAnnotationRows,
  deleteSearchRows,
  rowScope,
  searchRowid,
  SEARCH_COLUMNS,
  SEARCH_TABLES,
  SEARCH_VERSION,
  VECTOR_COLUMNS,
  vectorRow,
  type Kind,
  type RowScope,
} from '../storage/search/search-index.ts'
import type { OpenVectors } from '../storage/search/tsvector.ts'
import { insertRows } from '../storage/sql.ts'
import type { Statement, Value } from '../storage/storage.ts'
import { attachedDocument, attachedRecord } from './attached.ts'
import { projection } from './projection.ts'

/**
 * The full-text indexes: one with a row per run, one with a row per case. A row contains the tokens of its run set in
 * addition to the text. After the prompt come its ids, and the grams of what is found from any part of it.
 */
export const search = projection(
  {
    name: 'search',
    version: SEARCH_VERSION,
    tables: Object.values(SEARCH_TABLES),
    views: Object.values(SEARCH_TABLES).flatMap((table) => [`${table}_words`, `newest_of_${table}`]),
  },
  {
    RunIngested: (recorded) => {
      const stored = attachedDocument(recorded)
      const { run_no } = recorded.data
      return [insertInto('run', () => runRow(run_no, stored)), insertInto('case', () => caseRows(run_no, stored))]
    },
    RunDeleted: ({ data: { run_no } }) => deleteSearchRows(run_no),
    RunAnnotated: ({ version, attached, data: { run_no } }) => [
      deleteAnnotationRows(run_no, null),
      ...(attached && hasTexts(attached)
        ? [insertInto('run', () => [annotatedRow(annotationRow(run_no, version), attached)])]
        : []),
    ],
    // The erasure deletes the texts too.
    EventErased: (recorded) => {
      const { kept } = recorded.data
      if (kept === null || attachedRecord(recorded).type !== 'RunAnnotated') return []
      return [deleteAnnotationRows((kept.data as RunAnnotated['data']).run_no, kept.version)]
    },
  },
)

type IndexedRow = {
  readonly rowid: bigint
  readonly scope: RowScope
  readonly text: SearchText
  readonly vectors: OpenVectors | null
}

function* runRow(run_no: number, { run, vectors }: StoredRun): Generator<IndexedRow> {
  yield { rowid: searchRowid(run_no, null), scope: scopeOfRun(run), text: run.search, vectors: vectors?.run ?? null }
}

function* caseRows(run_no: number, { run, cases, vectors }: StoredRun): Generator<IndexedRow> {
  const scope = scopeOfRun(run)
  for (const [i, { n, search: text }] of cases.entries())
    yield { rowid: searchRowid(run_no, n), scope, text, vectors: vectors?.cases[i] ?? null }
}

const hasTexts = ({ added: { title, note, tags } }: AnnotationTexts): boolean =>
  title !== null || note !== null || tags.length > 0

/** The run with what was added to it, in a row of its own: the words of a query may be in both. */
const annotatedRow = (rowid: bigint, { added, run }: AnnotationTexts): IndexedRow => {
  const whole = {
    ...run,
    note: [added.title, added.note, run.note].filter((part) => part !== null).join(' \n '),
    tags: [...added.tags, ...run.tags],
  }
  return {
    rowid,
    scope: rowScope(run, run.fully_cached),
    text: { ...runSearchText(whole), parts: runPartWords(run.id, whole) },
    vectors: null,
  }
}

/**
 * Inserts rows. Each database has a different row format. The rows are created one by one while they are written, and
 * only in the format of the database that is used.
 */
const insertInto = (kind: Kind, rows: () => Iterable<IndexedRow>): Statement => ({
  ...insertRows(SEARCH_TABLES[kind], SEARCH_COLUMNS, mapRows(rows, textRow)),
  postgres: insertRows(SEARCH_TABLES[kind], VECTOR_COLUMNS, mapRows(rows, vectorRowOf)),
})

function* mapRows(rows: () => Iterable<IndexedRow>, toValues: (row: IndexedRow) => Value[]): Generator<Value[]> {
  for (const row of rows()) yield toValues(row)
}

const textRow = ({
  rowid,
  scope,
  text: { name, tags, error, reasons, output, prompt, parts = '' },
}: IndexedRow): Value[] => [
  rowid,
  scope.tokens.join(' '),
  name,
  tags,
  error,
  reasons,
  output,
  parts === '' ? prompt : `${prompt} ${parts}`,
]

const vectorRowOf = ({ rowid, scope, text, vectors }: IndexedRow): Value[] =>
  vectorRow(rowid, scope, vectors ?? searchVectors(scope, text))
