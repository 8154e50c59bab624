import { exactCsvLine } from '../../domain/csv.ts'
import { exporterOf, type CaseText } from '../../domain/report/exporter.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { caseTextsOf, SMALL_BATCH } from './case-batch.ts'
import {
  caseValues,
  collectColumns,
  FIXED_COLUMNS,
  HIDDEN_BY,
  hiddenBy,
  NO_COLUMNS,
  runValues,
  scoresOf,
  sortedColumns,
  type FoundColumns,
  type RunValues,
} from './columns.ts'

type State = {
  readonly run: RunValues
  readonly raw: boolean
  /** Whether the file has the column of hidden cases. */
  readonly hasHidden: boolean
  /** Columns that the first pass found; null during the second. */
  readonly found: FoundColumns | null
  readonly columns: readonly string[]
}

const BOM = '\uFEFF'

/** Tags in one field, separated by `;`. A tag's own `;` and `\` have a `\` in front. */
const tagsField = (tags: readonly string[]): string | null =>
  tags.length === 0 ? null : tags.map((tag) => tag.replaceAll(/[\\;]/g, String.raw`\$&`)).join(';')

/**
 * CSV (RFC 4180). The first pass collects the names of the assertions, since the first line names every column. It is
 * sent in two pieces: the fixed columns at once, the columns of assertions when they are known.
 */
export const csv = exporterOf<State>({
  order: 'document',
  batch: SMALL_BATCH,
  begin: (head, { bom, raw }) => ({
    output: [`${bom ? BOM : ''}${[...FIXED_COLUMNS, ...(head.hidden_cases > 0 ? [HIDDEN_BY] : [])].join(',')}`],
    state: { run: runValues(head), raw, hasHidden: head.hidden_cases > 0, found: NO_COLUMNS, columns: [] },
  }),
  add: (state, cases) => {
    if (state.found) return { output: [], state: { ...state, found: collectColumns(state.found, cases) } }
    const columns = new Set(state.columns)
    const runFields = runFieldsOf(state)
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

/** The fields that every row begins with, without the end of the line. */
const runFieldsOf = ({ run, raw }: State): string =>
  exactCsvLine([run.run_id, run.project, run.suite, rfc3339(run.created_at)], raw).trimEnd()

const caseFields = ({ raw, hasHidden, columns }: State, known: ReadonlySet<string>, text: CaseText): string => {
  const item = caseTextsOf(text)
  const { tags, output, ...values } = caseValues(item)
  const scores = columns.length === 0 ? null : scoresOf(item.asserts, known)
  return exactCsvLine(
    [
      ...Object.values(values),
      tagsField(tags),
      output,
      ...(hasHidden ? [hiddenBy(text)] : []),
      ...columns.map((column) => scores?.get(column) ?? null),
    ],
    raw,
  )
}
