import { shownName } from '../../domain/lists/case-name.ts'
import { firstCodePoints, outputText, type NormalCase } from '../../domain/run/document.ts'
import type { CaseText, ExportHead } from '../../domain/report/exporter.ts'
import { assertName, failureReasons } from '../../domain/report/failure-reasons.ts'

// The columns of CSV and Parquet. After the fixed columns, each assertion has a column with its score.

/** `integer` is a safe integer, `time` epoch milliseconds, `list` a list of texts. */
export type ColumnKind = 'text' | 'integer' | 'double' | 'time' | 'list'

export type Value = string | number | null | readonly string[]

type Column<Source> = {
  readonly name: string
  readonly kind: ColumnKind
  /** Whether every row has a value. */
  readonly isRequired: boolean
  readonly value: (source: Source) => Value
}

type Case = Omit<NormalCase, 'empty_reason'>

const required =
  <Source>() =>
  (name: string, kind: ColumnKind, value: (source: Source) => Value): Column<Source> => ({
    name,
    kind,
    isRequired: true,
    value,
  })
const optional =
  <Source>() =>
  (name: string, kind: ColumnKind, value: (source: Source) => Value | undefined): Column<Source> => ({
    ...{ name, kind, isRequired: false },
    value: (source) => value(source) ?? null,
  })

const [ofRun, ofRunIfKnown] = [required<ExportHead>(), optional<ExportHead>()]
const [ofCase, ofCaseIfKnown] = [required<Case>(), optional<Case>()]

/** What each row has of its run. */
export const RUN_COLUMNS: readonly Column<ExportHead>[] = [
  ofRun('run_id', 'text', ({ run }) => run.run_id),
  ofRunIfKnown('project', 'text', ({ run }) => run.project),
  ofRunIfKnown('suite', 'text', ({ run }) => run.suite),
  ofRun('created_at', 'time', ({ created_at }) => created_at),
]

/** The columns of a run to which something was added, after the fixed ones and that of hidden cases. */
export const ADDED_COLUMNS: readonly Column<ExportHead>[] = [
  ofRunIfKnown('added_title', 'text', ({ added }) => added?.title),
  ofRunIfKnown('added_note', 'text', ({ added }) => added?.note),
  ofRun('added_tags', 'list', ({ added }) => added?.tags ?? []),
]

/** The column of a run whose cases have comments, after those of what was added: the texts of those on the case, the oldest first. */
export const COMMENTS = { name: 'added_comments', kind: 'list', isRequired: true } as const

export type CaseComments = ReadonlyMap<string, readonly string[]>

/** The texts of the comments on cases, by the key of the case; null if no case has one. */
export const commentsOfCases = ({ comments }: ExportHead): CaseComments | null => {
  const texts = new Map<string, string[]>()
  for (const { case_key, text } of comments)
    if (case_key !== null) texts.set(case_key, [...(texts.get(case_key) ?? []), text])
  return texts.size === 0 ? null : texts
}

/** The value of that column. A case that lists do not show has none: its key is that of another. */
export const commentsOf = (
  comments: CaseComments,
  { case_key }: Pick<Case, 'case_key'>,
  text: CaseText,
): readonly string[] => (text.hidden_by === undefined ? (comments.get(case_key) ?? []) : [])

/** The fixed columns of a case, after those of the run. */
export const CASE_COLUMNS: readonly Column<Case>[] = [
  ofCase('case_key', 'text', (item) => item.case_key),
  ofCase('provider', 'text', ({ cell }) => cell.provider_id),
  ofCaseIfKnown('prompt', 'text', ({ cell }) => cell.prompt_id),
  ofCase('test', 'text', ({ cell }) => cell.test_id),
  ofCase('repeat', 'integer', ({ cell }) => cell.repeat),
  ofCaseIfKnown('name', 'text', (item) => shownName(item)),
  ofCase('status', 'text', ({ status }) => status),
  ofCase('score', 'double', ({ score }) => score),
  ofCaseIfKnown('cost_usd', 'double', (item) => item.cost_usd),
  // A run document has 0 where the latency was not measured.
  ofCaseIfKnown('latency_ms', 'integer', (item) => item.latency_ms || null),
  ofCaseIfKnown('input_tokens', 'integer', ({ usage }) => usage?.input_tokens),
  ofCaseIfKnown('output_tokens', 'integer', ({ usage }) => usage?.output_tokens),
  ofCaseIfKnown('error_class', 'text', (item) => item.error_class),
  ofCaseIfKnown('error', 'text', ({ error }) => error),
  ofCase('tags', 'list', ({ tags }) => tags ?? []),
  ofCaseIfKnown('output', 'text', ({ output }) => outputText(output)),
  ofCaseIfKnown('failure_reasons', 'text', failureReasons),
]

export const FIXED_COLUMNS: readonly string[] = [...RUN_COLUMNS, ...CASE_COLUMNS].map(({ name }) => name)

/** The JSON of the variables of a case. Parquet alone has this column. */
export const VARS_COLUMN = ofCaseIfKnown('vars', 'text', ({ vars }) => vars && JSON.stringify(vars))

/**
 * The column of a run with hidden cases, after the fixed ones: for a case whose key an earlier case has, the number of that case,
 * from 1 in the order of the document. Lists show the earlier one alone.
 */
export const HIDDEN_BY = 'hidden_by'

/** The value of that column; null for a case that lists show. */
export const hiddenBy = ({ hidden_by }: Pick<CaseText, 'hidden_by'>): number | null =>
  hidden_by === undefined ? null : hidden_by + 1

/** The column for assertions without a column of their own. */
export const OTHER_SCORES = 'other_scores'

const RESERVED: ReadonlySet<string> = new Set([
  ...FIXED_COLUMNS,
  HIDDEN_BY,
  ...ADDED_COLUMNS.map(({ name }) => name),
  COMMENTS.name,
  OTHER_SCORES,
  VARS_COLUMN.name,
])

/**
 * Maximum number of columns of assertions. A document can have millions of names, and every column is in every row. The
 * scores of further names are together in one column.
 */
export const MAX_ASSERTION_COLUMNS = 200
const MAX_COLUMN_CODE_POINTS = 200

type Asserts = ReadonlyArray<Pick<NormalCase['asserts'][number], 'kind' | 'criteria'>>

/**
 * The column of each assertion of a case, in the order of the assertions. A name that occurs again in the case, or that
 * is the name of a fixed column, gets a number: `contains`, `contains [2]`.
 */
const assertColumns = (asserts: Asserts): string[] => {
  const used = new Set<string>()
  const counts = new Map<string, number>()
  return asserts.map((assertion) => {
    const name = firstCodePoints(assertName(assertion), MAX_COLUMN_CODE_POINTS).toWellFormed()
    let count = counts.get(name) ?? 0
    let column: string
    do {
      count += 1
      column = count === 1 ? name : `${name} [${count}]`
    } while (used.has(column) || RESERVED.has(column))
    counts.set(name, count)
    used.add(column)
    return column
  })
}

/** The columns of assertions found so far: the first ones of the document. `more` if there are others. */
export type FoundColumns = { readonly columns: readonly string[]; readonly more: boolean }
export const NO_COLUMNS: FoundColumns = { columns: [], more: false }

/** Adds the assertions of further cases. Reads only their names, so numbers need not be exact. */
export const collectColumns = (found: FoundColumns, cases: readonly CaseText[]): FoundColumns => {
  const columns = new Set(found.columns)
  let { more } = found
  for (const { bytes } of cases) {
    // Safe: the document was checked when it was stored.
    const { asserts } = JSON.parse(utf8Text(bytes)) as { readonly asserts?: Asserts | null }
    for (const column of assertColumns(asserts ?? []))
      if (columns.size < MAX_ASSERTION_COLUMNS) columns.add(column)
      else if (!columns.has(column)) more = true
  }
  return { columns: [...columns], more }
}

const utf8Text = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')

/** The columns of assertions in the order of the file. */
export const sortedColumns = ({ columns, more }: FoundColumns): readonly string[] => [
  ...columns.toSorted(),
  ...(more ? [OTHER_SCORES] : []),
]

/**
 * The scores of a case by column. An assertion that was skipped or could not be evaluated has no score. Those without a
 * column are in `other_scores`, as a JSON object.
 */
export const scoreColumns = (
  asserts: NormalCase['asserts'],
  columns: ReadonlySet<string>,
): ReadonlyMap<string, number | string> => {
  const scores = new Map<string, number | string>()
  const others: Array<readonly [string, number]> = []
  for (const [index, column] of assertColumns(asserts).entries()) {
    const assertion = asserts[index]
    if (!assertion || assertion.status === 'skipped' || assertion.status === 'error') continue
    if (columns.has(column)) scores.set(column, assertion.score)
    else others.push([column, assertion.score])
  }
  if (others.length > 0) scores.set(OTHER_SCORES, JSON.stringify(Object.fromEntries(others)))
  return scores
}

/** A list as the text of a CSV field, separated by `;`: the `;` and `\` of an element have a `\` in front. Null if it is empty. */
export const listField = (list: readonly string[]): string | null =>
  list.length === 0 ? null : list.map((part) => part.replaceAll(/[\\;]/g, String.raw`\$&`)).join(';')
