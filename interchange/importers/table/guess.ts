import { listedNames } from '../../../domain/text/listed-names.ts'
import { stringify } from 'yaml'
import type { Json } from '../../../domain/run/readers.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import { newLosses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { newScores, shareOf } from '../../document/case/scores.ts'
import { caseWriter } from '../../document/case/to-case.ts'
import type { CaseDocument } from '../../document/case/case-document.ts'
import type { Look } from '../../read/look.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { cellOf, isLong } from './cases.ts'
import { checkMap, type TableMap } from './map.ts'
import { tableRows, type Layout, type TableRow } from './rows.ts'
import { delimiterOf, sampleOf } from './sample.ts'
import { tableCases } from './table-cases.ts'
import { asNumber, asText } from './values.ts'
import { truthIn } from '../../document/case/verdicts.ts'

/** A map that fits a table as far as its columns show it, as YAML, and the first cases that it gives. */
export type Guess = { readonly map: string; readonly cases: readonly CaseDocument[] }

const READ_ROWS = 200
const SHOWN_CASES = 3
const MAX_STATUS_VALUES = 12

/**
 * Guesses a map for a table by the names and the first values of its columns. It is a proposal for people to correct.
 * Throws `SourceRefused` if the file is no table, or no column of it looks like a result.
 */
export const guessTable = async (file: SourceFile, look: Look, options: ImportOptions): Promise<Guess> => {
  const sample = sampleOf(look)
  if (sample === null) throw new SourceRefused('not a table: neither CSV, nor JSON with rows of named values')
  const [format = 'csv'] = sample.formats
  const layout = layoutOf(format, look)
  const losses = newLosses()
  const rows: TableRow[] = []
  for await (const row of tableRows(file, layout, losses)) {
    rows.push(row)
    if (rows.length === READ_ROWS) break
  }
  const guessed = { ...layout, ...guessColumns(rows) }
  const map = checkMap(guessed)
  const scores = newScores(options)
  for await (const { asserts } of tableCases(map, groupsIn(map, rows), newLosses(), () => {}))
    for (const draft of asserts) scores.read(draft)
  const writer = caseWriter(options, losses, scores)
  const cases: CaseDocument[] = []
  for await (const draft of tableCases(map, groupsIn(map, rows), losses, () => {})) {
    cases.push(writer.toCase(draft))
    if (cases.length === SHOWN_CASES) break
  }
  return { map: stringify(guessed, { lineWidth: 0 }), cases }
}

/** The rows of each case, in the order of its first row. */
const groupsIn = async function* (map: TableMap, rows: readonly TableRow[]): AsyncGenerator<readonly TableRow[]> {
  if (isLong(map)) yield* Map.groupBy(rows, ({ values }) => cellOf(map, values)).values()
  else for (const row of rows) yield [row]
}

const layoutOf = (format: TableMap['format'], look: Look): Layout => {
  if (format === 'csv') {
    const delimiter = delimiterOf(look.text)
    return { format, ...(delimiter !== ',' && { delimiter }) }
  }
  if (format !== 'json' || typeof look.head !== 'object' || look.head === null || Array.isArray(look.head))
    return { format }
  // The rows are the first list of objects; a list of lists has its columns elsewhere.
  const members = Object.entries(look.head as Record<string, Json>)
  const isRows = (value: Json) => Array.isArray(value) && typeof value[0] === 'object' && value[0] !== null
  const rows = members.find(([, value]) => isRows(value))?.[0]
  const isSplit = rows === 'data' && look.keys.has('columns')
  return { format, ...(rows !== undefined && { rows }), ...(isSplit && { header: 'columns' }) }
}

const NAMES = {
  test: [
    'test_id',
    'case_id',
    'task_id',
    'example_id',
    'question_id',
    'sample_id',
    'id',
    'test',
    'case',
    'task',
    'name',
  ],
  input: ['input', 'inputs', 'question', 'prompt', 'instruction', 'user_input', 'query'],
  provider: ['provider', 'model', 'model_name', 'model_id', 'system', 'generator'],
  repeat: ['repeat', 'trial', 'repetition', 'repetition_number', 'epoch'],
  output: ['output', 'outputs', 'response', 'answer', 'prediction', 'completion', 'model_output'],
  expected: ['expected', 'reference', 'target', 'ground_truth', 'expected_output', 'context', 'contexts'],
  status: ['status', 'outcome', 'result', 'passed', 'pass', 'correct', 'is_correct', 'success'],
  metric: ['metric', 'metric_name', 'scorer', 'evaluator', 'assertion'],
  score: ['score', 'value', 'metric_value', 'weighted_score'],
  reason: ['reason', 'explanation', 'comment', 'justification'],
  error: ['error', 'error_message', 'exception'],
  latency: ['latency_ms', 'duration_ms', 'latency', 'duration', 'time'],
  cost: ['cost_usd', 'cost', 'total_cost'],
  time: ['started_at', 'timestamp', 'created_at', 'date', 'start_time'],
  tags: ['tags', 'category', 'experiment', 'split'],
} as const

/** Words of outcomes, in lower case. */
const OUTCOMES: Readonly<Record<'pass' | 'fail' | 'error' | 'skip', ReadonlySet<string>>> = {
  pass: new Set(['pass', 'passed', 'true', '1', 'yes', 'correct', 'success', 'succeeded', 'ok', 'resolved', 'c']),
  fail: new Set(['fail', 'failed', 'false', '0', 'no', 'incorrect', 'failure', 'wrong', 'unresolved', 'i']),
  error: new Set(['error', 'err', 'errored', 'crash', 'timeout']),
  skip: new Set(['skip', 'skipped', 'pending', 'n/a', '']),
}

const guessColumns = (rows: readonly TableRow[]): Record<string, unknown> => {
  const columns = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))]
  const find = (role: keyof typeof NAMES) =>
    NAMES[role].flatMap((name) => columns.find((column) => column.toLowerCase() === name) ?? [])
  const [test] = find('test')
  const inputs = find('input')
  const [provider, repeat, output, metric, error, latency, cost, time] = (
    ['provider', 'repeat', 'output', 'metric', 'error', 'latency', 'cost', 'time'] as const
  ).map((role) => find(role)[0])
  const used = new Set([provider, repeat, output, metric, error, latency, cost, time])
  const vars = [...new Set([...inputs, ...find('expected')])].filter((column) => column !== output && column !== test)
  const tags = find('tags')
  return {
    ...(time !== undefined && { run: { started_at: { column: time } } }),
    case: {
      ...(provider !== undefined && { provider: { column: provider } }),
      test:
        test !== undefined
          ? { column: test }
          : inputs.length > 0
            ? { inputs }
            : {
                column: mostDifferent(
                  rows,
                  columns.filter((column) => !used.has(column)),
                ),
              },
      ...(repeat !== undefined && { repeat: { column: repeat, from: leastOf(rows, repeat) } }),
      ...(tags.length > 0 && { tags: { columns: tags } }),
      ...(vars.length > 0 && { vars: { columns: vars } }),
    },
    ...guessedResult(rows, columns, find, metric),
    ...(output !== undefined && { output: { column: output } }),
    ...(error !== undefined && { error: { column: error } }),
    ...(latency !== undefined && { latency: { column: latency, unit: latency.endsWith('ms') ? 'ms' : 's' } }),
    ...(cost !== undefined && { cost_usd: { column: cost } }),
  }
}

/** The column of texts with the most different values: it may name the tests. */
const mostDifferent = (rows: readonly TableRow[], columns: readonly string[]): string => {
  const texts = columns.filter((column) => !isNumeric(rows, column))
  const counts = texts.map((column) => new Set(columnValues(rows, column)).size)
  return texts[counts.indexOf(Math.max(...counts))] ?? columns[0] ?? '?'
}

type Find = (role: keyof typeof NAMES) => readonly string[]

/** Where the results are: a status, a metric by row, or columns of scores. */
const guessedResult = (
  rows: readonly TableRow[],
  columns: readonly string[],
  find: Find,
  metric: string | undefined,
) => {
  const status = find('status').flatMap((column) => statusLists(rows, column) ?? [])[0]
  const [score] = find('score').filter((column) => isNumeric(rows, column))
  const [reason] = find('reason')
  if (metric !== undefined && (score !== undefined || status !== undefined))
    return {
      ...(status && { status }),
      asserts: [
        {
          name: { column: metric },
          ...(score !== undefined && { score: { column: score, ...guessedRange(rows, score) } }),
          ...(reason !== undefined && { reason: { column: reason } }),
        },
      ],
    }
  const others = new Set([...find('repeat'), ...find('latency'), ...find('cost'), ...find('time'), ...find('test')])
  const scores = columns.filter(
    (column) => column !== status?.column && !others.has(column) && isNumeric(rows, column) && isShare(rows, column),
  )
  if (status) return { status, ...(scores.length > 0 && { asserts: { columns: scores } }) }
  if (scores.length > 0) return { asserts: { columns: scores } }
  if (score !== undefined)
    return { asserts: [{ name: { const: score }, score: { column: score, ...guessedRange(rows, score) } }] }
  throw new SourceRefused(
    `no column looks like a result: write a map with --map; the columns are ${listedNames(columns)}`,
  )
}

const columnValues = (rows: readonly TableRow[], column: string): Json[] =>
  rows.map(({ values }) => values[column] ?? null)

/** The values of a status column by outcome; null if it has others than words for outcomes. */
const statusLists = (rows: readonly TableRow[], column: string) => {
  const found = new Set(columnValues(rows, column).map((value) => (asText(value) ?? '').trim()))
  if (found.size > MAX_STATUS_VALUES) return null
  const lists: Record<string, string[]> = {}
  for (const value of found) {
    const outcome = Object.entries(OUTCOMES).find(([, words]) => words.has(value.toLowerCase()))?.[0]
    if (outcome === undefined) return null
    ;(lists[outcome] ??= []).push(value)
  }
  if (!lists['pass'] && !lists['fail']) return null
  // Words that need no list are read in later rows as well.
  return [...found].every((value) => truthIn(value) !== null) ? { column } : { column, ...lists }
}

const isNumeric = (rows: readonly TableRow[], column: string): boolean => {
  const values = columnValues(rows, column).filter((value) => value !== null && truthIn(value) === null)
  const numbers = values.map(asNumber)
  return numbers.every((value) => value !== undefined) && columnValues(rows, column).some((value) => value !== null)
}

const numbersOf = (rows: readonly TableRow[], column: string): number[] =>
  columnValues(rows, column).flatMap((value) => asNumber(value) ?? [])

const isShare = (rows: readonly TableRow[], column: string): boolean =>
  numbersOf(rows, column).every((value) => shareOf(value, [0, 1]) !== null)

const leastOf = (rows: readonly TableRow[], column: string): number =>
  Math.min(1, ...numbersOf(rows, column).map((value) => Math.max(0, Math.floor(value))))

/** A range that has all numbers of a column: 0 to 1, 5, 10 or 100. A number next to an end is that end. */
const guessedRange = (rows: readonly TableRow[], column: string) => {
  const numbers = numbersOf(rows, column)
  const [least, largest] = [Math.min(0, ...numbers), Math.max(0, ...numbers)]
  const max =
    [1, 5, 10, 100].find((limit) => largest <= limit || shareOf(largest, [0, limit]) === 1) ?? Math.ceil(largest)
  const min = shareOf(least, [0, max]) === 0 ? 0 : least
  return min === 0 && max === 1 ? {} : { min, max }
}
