import { z } from 'zod'
import { groupValue } from '../../domain/run/case-fields.ts'
import { CaseRow } from '../../domain/run/case-columns.ts'
import { tagsIn } from '../../domain/run/tags.ts'
import { mostTrials, pairingUnits } from '../../domain/statistics/pairing.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { columnList } from '../columns.ts'
import type { DocumentReader } from '../runs/documents.ts'
import { findRun, type Run } from '../runs/run.ts'
import { IntervalView, sharesInterval } from '../statistics/leaderboard.ts'
import { casePlaces } from './case-rows.ts'
import { matching, type CaseFilters } from './cases.ts'

const count = z.number().int()

/** The fields by which the cases of a run can be shown and grouped, and the groups of one of them. */
export const CaseFieldsView = z
  .object({
    run_id: z.string(),
    /** In the order in which cases have them. `values` counts different values, up to 1,000. */
    fields: z.array(z.object({ field: z.string(), cases: count, values: count })),
    /** Null if no field was asked for. The lowest pass rate first. 200 are listed; `group_count` counts up to 1,000. */
    groups: z
      .array(
        z.object({
          /** Null for the cases without a value. */
          value: z.string().nullable(),
          cases: count,
          /** Tests whose cases passed or failed: the trials of a test count once. */
          tests: count,
          /** The mean over tests of their shares of passed trials, with its 95 % interval over tests. */
          passes: IntervalView.nullable(),
        }),
      )
      .nullable(),
    group_count: count,
  })
  .meta({ id: 'CaseFields' })
export type CaseFieldsView = z.infer<typeof CaseFieldsView>

export type CaseFieldsRequest = { readonly filters: CaseFilters; readonly by?: string | undefined }

/** Fields that are columns of a list of their own. */
const COLUMNS_OF = ['provider', 'prompt', 'tag', 'stop_reason', 'error_class'] as const

/** Maximum numbers of fields and of groups of a response, and of values that are counted. */
const [MAX_FIELDS, MAX_GROUPS, MAX_VALUES] = [200, 200, 1_000] as const

/** Rows that one query reads. */
const ROWS_PER_QUERY = 5_000

const Row = CaseRow.pick({
  n: true,
  case_key: true,
  status: true,
  score: true,
  provider_id: true,
  prompt_id: true,
  test_id: true,
  repeat: true,
  stop_reason: true,
  error_class: true,
  tags: true,
  fields: true,
})
type Row = z.infer<typeof Row>

const listRows = ({ run_no }: Run, filters: CaseFilters, after: number): Query<Row[]> =>
  any(sql.type(Row)`
    SELECT ${columnList('cases', Row)} FROM cases
    WHERE run_no = ${run_no} AND n > ${after} AND ${matching(filters)} ORDER BY n LIMIT ${ROWS_PER_QUERY}`)

const columnValues = (row: Row): ReadonlyArray<readonly [field: string, value: string | null]> => [
  ['provider', row.provider_id || null],
  ['prompt', row.prompt_id],
  ['stop_reason', row.stop_reason],
  ['error_class', row.error_class ?? (row.status === 'error' ? 'unknown' : null)],
]

/** The values of a field of a case: several tags, at most one value of any other. */
const valuesOf = (row: Row, fields: Readonly<Record<string, string>>, by: string): readonly string[] => {
  if (by === 'tag') return [...tagsIn(row.tags)]
  if (COLUMNS_OF.some((name) => name === by))
    return columnValues(row).flatMap(([name, value]) => (name === by && value !== null ? [value] : []))
  return Object.hasOwn(fields, by) ? [groupValue(by, fields[by] ?? '')] : []
}

type Tally = { cases: number; readonly values: Set<string> }

/**
 * The fields of the cases that match, and their groups; null for an unknown or hidden run. Reads every row that matches,
 * so a large run is read in a reader thread.
 */
export const findCaseFields = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  run_id: string,
  { filters, by }: CaseFieldsRequest,
): Promise<CaseFieldsView | null> => {
  const run = await reader.read(findRun(viewer, run_id))
  if (!run) return null
  const { q, ...others } = filters
  const places =
    q === undefined
      ? null
      : new Set(await casePlaces(reader, documents, run, { filters, order: { sort: 'document', order: 'asc' } }))
  const tallies = new Map<string, Tally>()
  const groups = new Map<string | null, Row[]>()
  const tally = (field: string, value: string): void => {
    const found = tallies.get(field) ?? { cases: 0, values: new Set<string>() }
    tallies.set(field, found)
    found.cases++
    if (found.values.size < MAX_VALUES) found.values.add(value)
  }
  for (let after = -1; ;) {
    const rows = await reader.read(listRows(run, others, after))
    for (const row of rows) {
      if (places?.has(row.n) === false) continue
      const fields = row.fields === null ? {} : (JSON.parse(row.fields) as Readonly<Record<string, string>>)
      for (const [field, value] of columnValues(row)) if (value !== null) tally(field, value)
      for (const tag of tagsIn(row.tags)) tally('tag', tag)
      for (const [field, value] of Object.entries(fields)) tally(field, groupValue(field, value))
      if (by === undefined) continue
      const values = valuesOf(row, fields, by)
      for (const value of values.length === 0 ? [null] : values) {
        const group = groups.get(value)
        if (group) group.push(row)
        else if (groups.size < MAX_VALUES) groups.set(value, [row])
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_QUERY) break
    after = last.n
  }
  // The rows may be incomplete if the run was deleted, or replaced by another upload, while it was read.
  if ((await reader.read(findRun(viewer, run_id)))?.run_no !== run.run_no) return null
  return {
    run_id: run.id,
    fields: [...tallies]
      .slice(0, MAX_FIELDS)
      .map(([field, { cases, values }]) => ({ field, cases, values: values.size })),
    groups:
      by === undefined
        ? null
        : [...groups]
            .map(([value, rows]) => groupView(value, rows))
            .sort((a, b) => (a.passes?.mean ?? 2) - (b.passes?.mean ?? 2) || b.cases - a.cases)
            .slice(0, MAX_GROUPS),
    group_count: groups.size,
  }
}

const groupView = (value: string | null, rows: readonly Row[]) => {
  const units = pairingUnits(rows, 'case_key')
  const shares = [...units.values()].map(({ passed, trials }) => passed / trials)
  return { value, cases: rows.length, tests: units.size, passes: sharesInterval(shares, mostTrials(units), null) }
}
