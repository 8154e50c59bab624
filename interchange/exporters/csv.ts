import { exactCsvLine } from '../../domain/csv.ts'
import { exporterOf, type CaseText } from '../../domain/report/exporter.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { caseTextsOf, SMALL_BATCH } from './case-batch.ts'
import {
  ADDED_COLUMNS,
  CASE_COLUMNS,
  collectColumns,
  COMMENTS,
  commentsOf,
  commentsOfCases,
  FIXED_COLUMNS,
  HIDDEN_BY,
  hiddenBy,
  listField,
  NO_COLUMNS,
  RUN_COLUMNS,
  scoreColumns,
  sortedColumns,
  type CaseComments,
  type ColumnKind,
  type FoundColumns,
  type Value,
} from './columns.ts'

type State = {
  /** The fields of the run, which every row begins with. */
  readonly run: ReadonlyArray<string | number | null>
  readonly raw: boolean
  /** The fields of what was added to the run; empty if nothing was. */
  readonly added: ReadonlyArray<string | number | null>
  /** The comments on its cases; null if there are none, and the file has no column for them. */
  readonly comments: CaseComments | null
  /** Whether the file has the column of hidden cases. */
  readonly hasHidden: boolean
  /** Columns that the first pass found; null during the second. */
  readonly found: FoundColumns | null
  readonly columns: readonly string[]
}

const BOM = '\uFEFF'

/** A value as a field. */
const field = (kind: ColumnKind, value: Value): string | number | null => {
  if (kind === 'time') return rfc3339(value as number)
  if (typeof value !== 'object' || value === null) return value
  return listField(value)
}

/**
 * CSV (RFC 4180). The first pass collects the names of the assertions, since the first line names every column. It is
 * sent in two pieces: the fixed columns at once, the columns of assertions when they are known.
 */
export const csv = exporterOf<State>({
  order: 'document',
  batch: SMALL_BATCH,
  begin: (head, { bom, raw }) => ({
    output: [
      `${bom ? BOM : ''}${[
        ...FIXED_COLUMNS,
        ...(head.hidden_cases > 0 ? [HIDDEN_BY] : []),
        ...(head.added ? ADDED_COLUMNS.map(({ name }) => name) : []),
        ...(commentsOfCases(head) ? [COMMENTS.name] : []),
      ].join(',')}`,
    ],
    state: {
      run: RUN_COLUMNS.map(({ kind, value }) => field(kind, value(head))),
      raw,
      added: head.added ? ADDED_COLUMNS.map(({ kind, value }) => field(kind, value(head))) : [],
      comments: commentsOfCases(head),
      hasHidden: head.hidden_cases > 0,
      found: NO_COLUMNS,
      columns: [],
    },
  }),
  add: (state, cases) => {
    if (state.found) return { output: [], state: { ...state, found: collectColumns(state.found, cases) } }
    const columns = new Set(state.columns)
    const runFields = exactCsvLine(state.run, state.raw).trimEnd()
    return { output: cases.map((text) => `${runFields},${caseFields(state, columns, text)}`), state }
  },
  end: (state) => {
    if (!state.found) return { output: [], state, again: false }
    const columns = sortedColumns(state.found)
    const rest = exactCsvLine(columns, state.raw)
    return {
      output: [columns.length === 0 ? rest : `,${rest}`],
      state: { ...state, found: null, columns },
      again: true,
    }
  },
})

const caseFields = (
  { raw, added, comments, hasHidden, columns }: State,
  known: ReadonlySet<string>,
  text: CaseText,
): string => {
  const item = caseTextsOf(text)
  const scores = columns.length === 0 ? null : scoreColumns(item.asserts, known)
  return exactCsvLine(
    [
      ...CASE_COLUMNS.map(({ kind, value }) => field(kind, value(item))),
      ...(hasHidden ? [hiddenBy(text)] : []),
      ...added,
      ...(comments ? [field(COMMENTS.kind, commentsOf(comments, item, text))] : []),
      ...columns.map((column) => scores?.get(column) ?? null),
    ],
    raw,
  )
}
