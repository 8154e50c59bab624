import { CASE_STATUSES } from '../../../domain/run/document.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { AssertionDraft, CaseDraft } from '../../document/case/case-draft.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { readTime } from '../../document/time/times.ts'
import { columnNames, csvRecords, type CsvField } from '../../read/rows/csv.ts'
import { copyLosses, storedJson } from '../../read/rows/records.ts'
import { openRowStore, type RowStore } from '../../read/rows/row-store.ts'
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
      copyLosses(reading, losses)
      for (const { body, number } of store.rowsOf(run)) {
        const fields = storedJson(body) as Fields
        if (Object.keys(first).length === 0) first = fields
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
      if ('bad' in record) losses.addBytes('cut', '(file)', 0, `cut off after ${count} cases: ${record.bad}`)
      else if (columns === null) columns = columnNames(record.fields.map(unquoted))
      else if (record.fields.length !== columns.length)
        losses.add(
          'left_out',
          `row ${record.row}`,
          record.fields,
          `has ${record.fields.length} fields, and the header ${columns.length}`,
        )
      else {
        count += 1
        const fields = fieldsOf(columns, record.fields)
        store.add(fields['run_id'] ?? '', String(record.row), record.row, JSON.stringify(fields))
      }
    }
  if (count === 0) throw new SourceRefused('holds no cases')
}

const fieldsOf = (columns: readonly string[], record: readonly CsvField[]): Fields =>
  Object.fromEntries(
    columns.flatMap((column, index) => {
      const field = record[index] ?? null
      return field === null ? [] : [[column, unquoted(field)!] as const]
    }),
  )

/** A field without the apostrophe that the export puts before what a spreadsheet would run as a formula. */
const unquoted = (field: CsvField): CsvField =>
  field !== null && /^'[=+\-@\t\r\n']/.test(field) ? field.slice(1) : field

const exportedCase = (fields: Fields, number: number, losses: Losses): CaseDraft => {
  const text = (column: string): string | null => fields[column] ?? null
  const amount = (column: string): number | null => {
    const value = text(column)
    if (value === null) return null
    const found = Number(value)
    if (value.trim() !== '' && Number.isFinite(found)) return found
    losses.add('left_out', `row ${number}`, value, `${column} is no number`)
    return null
  }
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
    repeat: Number.isSafeInteger(repeat) && repeat! >= 0 ? repeat : null,
    name: text('name'),
    tags: splitTags(text('tags')),
    status,
    score: amount('score'),
    failure: isFailure ? { message: error, class: text('error_class') } : null,
    asserts: exportedAssertions(fields),
    vars: jsonIn(fields[VARS_FIELD] ?? '{}'),
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
const exportedAssertions = (fields: Fields): AssertionDraft[] => {
  const scores = Object.entries(fields).flatMap(([column, value]): Array<readonly [string, Json]> => {
    if (column === OTHER_SCORES) return Object.entries(jsonIn(value))
    return NO_SCORE.has(column) || column === VARS_FIELD ? [] : [[column, Number(value)]]
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

/** The members of an object as JSON; none if it is not one. */
const jsonIn = (value: string): Record<string, Json> => {
  try {
    const found = JSON.parse(value) as Json
    return isObject(found) ? found : {}
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return {}
  }
}
