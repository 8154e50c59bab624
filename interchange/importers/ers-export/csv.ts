import { counted } from '../../../domain/plain/counted.ts'
import { CASE_STATUSES } from '../../../domain/run/document.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { AssertionDraft, CaseDraft } from '../../document/case/case-draft.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { readTime } from '../../document/time/times.ts'
import { columnNames, csvRecords, type CsvField } from '../../read/rows/csv.ts'
import { storedJson } from '../../read/rows/records.ts'
import { openRowStore, type RowStore } from '../../read/rows/row-store.ts'
import { innerJson, MAX_NESTING } from '../../read/json/inner-json.ts'
import { isObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { Source, SourceRun } from '../importer.ts'
import { tokenUsage } from '../../document/case/token-usage.ts'
import { FIXED_COLUMNS, HIDDEN_BY, OTHER_SCORES } from '../../exporters/columns.ts'

/** Columns that hold no score. */
const NO_SCORE: ReadonlySet<string> = new Set([...FIXED_COLUMNS, HIDDEN_BY])

/** The variables of a Parquet export, as JSON. The CSV export does not have them, and no column can have this name. */
export const VARS_FIELD = '\0vars'

/** Puts the fields of each case of an export into a store. */
type Fill = (store: RowStore, file: SourceFile, losses: Losses) => Promise<void>

/** The runs of a table export. A file may be joined from those of several runs, so the rows are grouped by run. */
export const exportedRuns = async function* ({ file }: Source, fill: Fill): AsyncGenerator<SourceRun> {
  using store = openRowStore()
  const reading = newLosses()
  await fill(store, file, reading)
  for (const run of store.runs()) yield exportedRun(run, store, reading)
}

const exportedRun = (run: string, store: RowStore, reading: Losses): SourceRun => {
  let first: Fields = {}
  return {
    part: run,
    identity: run,
    cases: async function* (losses) {
      losses.addAll(reading.all())
      first = {}
      for (const { body, number } of store.rowsOf(run)) {
        const fields = storedJson(body) as Fields
        if (Object.keys(first).length === 0) {
          first = fields
          const { created_at: time } = fields
          if (time !== undefined && readTime(time) === null)
            losses.add('left_out', `row ${number}`, time, 'created_at is no time')
        }
        // The service that wrote the export shows it nowhere else: as a trial, it would change the rates of the run.
        if (fields[HIDDEN_BY])
          losses.add('left_out', 'cases.*', fields, 'a case that another one of the same key hides')
        else yield exportedCase(fields, number, losses)
      }
    },
    head: () => {
      const time = readTime(first['created_at'] ?? '')
      return {
        project: first['project'] || null,
        suite: first['suite'] || null,
        startedAt: time,
        finishedAt: time,
      }
    },
  }
}

/** The fields of a row by column; empty ones are absent. */
type Fields = { readonly [column: string]: string }

/** Reads the rows of a CSV export. */
export const fillFromCsv: Fill = async (store, file, losses) => {
  let columns: readonly string[] | null = null
  let count = 0
  for await (const batch of csvRecords(file.bytes(), { isExact: true }))
    for (const record of batch) {
      if ('bad' in record) losses.addBytes('cut', '(file)', 0, `cut off after ${counted(count, 'case')}: ${record.bad}`)
      else if (columns === null) columns = columnNames(record.fields.map(withoutApostrophe))
      else if (record.fields.length !== columns.length)
        losses.add(
          'left_out',
          `row ${record.row}`,
          record.fields,
          `has ${counted(record.fields.length, 'field')}, and the header ${columns.length}`,
        )
      else count += storeCase(store, fieldsOf(columns, record.fields), record.row, losses)
    }
  if (count === 0) throw new SourceRefused('holds no cases')
}

/** Stores a case under its run, and returns 1; 0 for a row without a run, which is recorded. */
export const storeCase = (store: RowStore, fields: Fields, row: number, losses: Losses): number => {
  const { run_id } = fields
  if (run_id) store.add(run_id, String(row), row, JSON.stringify(fields))
  else losses.add('left_out', `row ${row}`, fields, 'has no run_id')
  return run_id ? 1 : 0
}

const fieldsOf = (columns: readonly string[], record: readonly CsvField[]): Fields =>
  Object.fromEntries(
    columns.flatMap((column, index) => {
      const field = record[index] ?? null
      return field === null ? [] : [[column, withoutApostrophe(field)!] as const]
    }),
  )

/** A field without the apostrophe that the export puts before what a spreadsheet would run as a formula. */
const withoutApostrophe = (field: CsvField): CsvField =>
  field !== null && /^'[=+\-@\t\r\n']/.test(field) ? field.slice(1) : field

const exportedCase = (fields: Fields, number: number, losses: Losses): CaseDraft => {
  const text = (column: string): string | null => fields[column] ?? null
  const unusable = (column: string, what: string): null => {
    losses.add('left_out', `row ${number}`, text(column), `${column} is no ${what}`)
    return null
  }
  const amount = (column: string): number | null => {
    const value = text(column)
    if (value === null) return null
    const found = Number(value)
    return value.trim() !== '' && Number.isFinite(found) ? found : unusable(column, 'number')
  }
  const members = (column: string): Record<string, Json> =>
    objectIn(text(column) ?? '{}') ?? unusable(column === VARS_FIELD ? 'vars' : column, 'object of JSON') ?? {}
  const status = CASE_STATUSES.find((known) => known === text('status'))
  if (status === undefined)
    throw new SourceRefused(
      `row ${number}: the status ${JSON.stringify(text('status')).slice(0, 60)} is none of ${CASE_STATUSES.join(', ')}`,
    )
  const repeat = amount('repeat')
  const error = text('error')
  const isFailure = status === 'error' && error !== null
  return {
    provider: text('provider') ?? '',
    prompt: text('prompt'),
    test: text('test') ?? '',
    repeat:
      repeat === null || (Number.isSafeInteger(repeat) && repeat >= 0)
        ? repeat
        : unusable('repeat', 'number of a trial'),
    name: text('name'),
    tags: splitTags(text('tags')),
    status,
    score: amount('score'),
    failure: isFailure ? { message: error, class: text('error_class') } : null,
    asserts: exportedAssertions(fields, amount, members),
    vars: members(VARS_FIELD),
    ...(fields['output'] !== undefined && { output: fields['output'] }),
    usage: tokenUsage(amount('input_tokens'), amount('output_tokens')),
    costUsd: amount('cost_usd'),
    latencyMs: amount('latency_ms'),
    raw: {
      ...(!isFailure && error !== null && { error }),
      ...(!isFailure && text('error_class') !== null && { error_class: text('error_class') }),
    },
  }
}

/** Tags are separated by `;`. A tag's own `;` and `\` have a `\` in front. */
const splitTags = (field: string | null): readonly string[] =>
  field === null
    ? []
    : // Each match ends before a separator or at the end, so that an empty tag is one too.
      Array.from(`;${field}`.matchAll(/;((?:[^;\\]|\\.?)*)/gs), ([, tag = '']) => tag.replaceAll(/\\(.)/gs, '$1'))

/** The scores of assertions. The export does not say whether they passed: the status of the case is its own. */
const exportedAssertions = (
  fields: Fields,
  amount: (column: string) => number | null,
  members: (column: string) => Record<string, Json>,
): AssertionDraft[] => {
  const scores = Object.keys(fields).flatMap((column): Array<readonly [string, Json]> => {
    if (column === OTHER_SCORES) return Object.entries(members(column))
    return NO_SCORE.has(column) || column === VARS_FIELD ? [] : [[column, amount(column)]]
  })
  return scores.map(([name, score]) => ({
    name,
    kind: 'exec',
    passed: null,
    score: typeof score === 'number' && Number.isFinite(score) ? score : null,
    // This service stores every score from 0 to 1.
    range: [0, 1],
    lowerIsBetter: false,
  }))
}

/** The object that a text is as JSON; null if it is none. */
const objectIn = (value: string): Record<string, Json> | null => {
  const found = innerJson(value, MAX_NESTING)
  return isObject(found) ? found : null
}
