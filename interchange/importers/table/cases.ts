import { listedNames } from '../../../domain/text/listed-names.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { AssertionDraft, CaseDraft, TestName } from '../../document/case/case-draft.ts'
import { shareOf, truthScore } from '../../document/case/scores.ts'
import { innerJson, MAX_NESTING } from '../../read/json/inner-json.ts'
import { rowOf } from '../../read/row.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { isListed, type AssertionPlace, type NestedAssertions, type TableMap, type WideAssertions } from './map.ts'
import { conversationOf } from './messages.ts'
import type { TableRow } from './rows.ts'
import { asNumber, BadRow, fits, columnNumber, rowValues, statusAt, type RowValues } from './values.ts'
import { tokenUsage } from '../../document/case/token-usage.ts'
import { truthIn } from '../../document/case/verdicts.ts'

/** Whether rows of one cell are the assertions of one case: if the name of an assertion is in a column. */
export const isLong = ({ asserts }: TableMap): boolean =>
  isListed(asserts) && asserts.some(({ name }) => !('const' in name))

/** The cell of a row, as a text: rows of a long table with the same text are one case. */
export const cellOf = (map: TableMap, values: Record<string, Json>): string => {
  const row = rowValues(values)
  const test = tableTest(map, row)
  return JSON.stringify([
    row.place(map.case.provider),
    row.place(map.case.prompt),
    typeof test === 'string' ? test : test.inputs,
    map.case.repeat ? row.text(map.case.repeat.column) : null,
  ])
}

/** Makes a case of the rows of one cell. Throws `BadRow` for what the map does not allow. */
export const caseOfRows = (map: TableMap, rows: readonly TableRow[]): CaseDraft => {
  const all = rows.map(({ values }) => rowValues(values))
  const [first] = all as [RowValues, ...RowValues[]]
  const draft = draftOf(map, first)
  const asserts = all.flatMap((row) => assertsOf(map, row))
  // Columns that the case used once are the same in all of its rows.
  for (const row of all.slice(1)) draftOf(map, row)
  const rests = all.map((row) => row.rest())
  return {
    ...draft,
    ...(map.status && !isLong(map) && { status: statusAt(first, map.status) }),
    asserts,
    ...(rests.length === 1 ? { rest: rowOf(rests[0]!, 'rows.*') } : { rest: rowOf({ rows: rests }, 'rows.*') }),
  }
}

/** What a row says of its case but for assertions. */
const draftOf = (map: TableMap, row: RowValues): Omit<CaseDraft, 'asserts'> => {
  const { case: places } = map
  const repeat = places.repeat && columnNumber(row, places.repeat.column)
  const talk = map.messages ? conversationOf(row.get(map.messages.column)) : null
  const error = map.error ? row.text(map.error.column) : null
  const score = map.score && scaled(columnNumber(row, map.score.column), map.score)
  const seconds = map.latency && columnNumber(row, map.latency.column)
  const [input, output] = [map.tokens?.input, map.tokens?.output].map((column) =>
    column === undefined ? null : columnNumber(row, column),
  )
  return {
    provider: row.place(places.provider),
    prompt: row.place(places.prompt),
    test: tableTest(map, row),
    repeat: repeatOf(repeat ?? null, places.repeat?.from ?? 0),
    name: row.place(places.name),
    tags: (places.tags?.columns ?? []).flatMap((column) => row.text(column) ?? []),
    ...(places.vars && { vars: tableVars(places.vars.columns, row) }),
    ...(score !== undefined && { score }),
    failure: error === null ? null : { message: error },
    ...(map.output && { output: tableOutput(map.output, row) }),
    ...talk,
    latencyMs: seconds === undefined || seconds === null ? null : seconds * (map.latency?.unit === 's' ? 1000 : 1),
    costUsd: map.cost_usd ? columnNumber(row, map.cost_usd.column) : null,
    usage: tokenUsage(input, output),
  }
}

const repeatOf = (value: number | null, from: number): number | null => {
  if (value === null) return null
  const repeat = value - from
  if (!Number.isSafeInteger(repeat) || repeat < 0)
    throw new BadRow(`repeat: ${value} is no whole number from ${from} on`)
  return repeat
}

const tableTest = ({ case: { test } }: TableMap, row: RowValues): TestName => {
  if ('inputs' in test) return { inputs: tableVars(test.inputs, row) }
  const name = row.place(test)
  if (name === null || name === '') throw new BadRow('names no test')
  return name
}

const tableVars = (columns: readonly string[], row: RowValues): Record<string, Json> =>
  Object.fromEntries(
    columns.flatMap((column) => {
      const value = row.get(column)
      return value === null ? [] : [[column, value] as const]
    }),
  )

const tableOutput = ({ column, json }: NonNullable<TableMap['output']>, row: RowValues): Json => {
  const value = row.get(column)
  if (!json || typeof value !== 'string') return value
  const found = innerJson(value, MAX_NESTING)
  if (found === undefined) throw new BadRow(`${column} is not valid JSON`)
  return found
}

const scaled = (value: number | null, { min = 0, max = 1, lower_is_better: isLower }: Scale): number | null => {
  if (value === null) return null
  const share = shareOf(value, [min, max])
  if (share === null) throw new BadRow(`the score ${value} is not from ${min} to ${max}`)
  return isLower ? 1 - share : share
}

/** The assertions of a row. */
const assertsOf = (map: TableMap, row: RowValues): AssertionDraft[] => {
  const { asserts } = map
  if (asserts === undefined) return []
  if (isListed(asserts)) {
    const status = map.status && isLong(map) ? statusAt(row, map.status) : null
    return asserts.map((place) => listedAssertion(map, place, row, status))
  }
  return 'members' in asserts ? nestedAssertionsOf(asserts, map, row) : wideAssertionsOf(asserts, map, row)
}

const listedAssertion = (
  map: TableMap,
  place: AssertionPlace,
  row: RowValues,
  status: ReturnType<typeof statusAt> | null,
): AssertionDraft => {
  const name = row.place(place.name)
  const found = place.score ? columnNumber(row, place.score.column) : null
  const passed = place.passed ? statusAt(row, place.passed) === 'pass' : status === null ? null : status === 'pass'
  return {
    name,
    kind: place.kind ?? 'exec',
    passed: status === 'error' || status === 'skip' ? null : passed,
    ...(status === 'error' && { status: 'error' as const }),
    ...(status === 'skip' && { status: 'skipped' as const }),
    ...scoreWith(found, tableScale(map, name, place.score), place.threshold),
    ...(place.reason && { reason: row.text(place.reason.column) }),
    ...(place.weight !== undefined && { weight: place.weight }),
    ...(place.decides !== undefined && { decides: place.decides }),
  }
}

type Scale = {
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly lower_is_better?: boolean | undefined
}

/** The entry of the map for a score: by its name, else by its place. */
const tableScale = ({ scores = {} }: TableMap, name: string | null, place: Scale = {}): Scale =>
  name !== null && Object.hasOwn(scores, name)
    ? { ...place, ...Object.fromEntries(Object.entries(scores[name]!).filter(([, value]) => value !== undefined)) }
    : place

/**
 * A score with its range. A threshold of a map is on the scale from 0 to 1, where 1 is good. One of a draft is in the units of
 * the source.
 */
const scoreWith = (
  score: number | null,
  { min, max, lower_is_better: isLower }: Scale,
  threshold: number | undefined,
) => {
  const [low, high] = [min ?? 0, max ?? 1]
  const share = isLower && threshold !== undefined ? 1 - threshold : threshold
  return {
    score,
    ...((min !== undefined || max !== undefined) && { range: [low, high] as const }),
    ...(isLower !== undefined && { lowerIsBetter: isLower }),
    ...(share !== undefined && { threshold: low + share * (high - low) }),
  }
}

/** The columns that a name of a map means. */
const matchingColumns = (pattern: string, map: TableMap, row: RowValues): readonly string[] => {
  if (!pattern.includes('*')) return [pattern]
  const named = namedColumns(map)
  return row.columns().filter((column) => !named.has(column) && !row.isUsed(column) && fits(pattern, column))
}

const wideAssertionsOf = (asserts: WideAssertions, map: TableMap, row: RowValues): AssertionDraft[] =>
  asserts.columns.flatMap((pattern) =>
    matchingColumns(pattern, map, row).flatMap((column) => {
      // A column that only fits a pattern may be anything: it is an assertion if it has a number or a yes or no.
      const draft = measured(column, row.peek(column), asserts, map)
      const isMeasured = draft !== null && (draft.passed !== null || draft.score !== null)
      if (pattern !== column && !isMeasured) return []
      row.get(column)
      if (draft === null) throw new BadRow(`${column} is no number and no yes or no`)
      return [draft]
    }),
  )

const nestedAssertionsOf = (asserts: NestedAssertions, map: TableMap, row: RowValues): AssertionDraft[] => {
  const found: AssertionDraft[] = []
  let isAll = true
  const visit = (value: Json, path: string) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [key, member] of Object.entries(value)) visit(member as Json, path === '' ? key : `${path}.${key}`)
      return
    }
    const draft = typeof value === 'number' || typeof value === 'boolean' ? measured(path, value, asserts, map) : null
    if (draft !== null) found.push(draft)
    else if (value !== null) isAll = false
  }
  visit(row.peek(asserts.members), '')
  // A member that is no measurement has no other place than the rest of the row.
  if (isAll) row.get(asserts.members)
  return found
}

/** An assertion of a value that is a number or says yes or no; null for other values. */
const measured = (
  name: string,
  value: Json,
  {
    kind,
    threshold,
    ...scale
  }: Scale & { readonly kind?: AssertionDraft['kind'] | undefined; readonly threshold?: number | undefined },
  map: TableMap,
): AssertionDraft | null => {
  const truth = truthIn(value)
  const own = tableScale(map, name, scale)
  if (truth !== null) {
    const { lower_is_better: lowerIsBetter } = own
    return { name, kind: kind ?? 'exec', ...truthScore(truth), ...(lowerIsBetter !== undefined && { lowerIsBetter }) }
  }
  const score = asNumber(value)
  return score === undefined ? null : { name, kind: kind ?? 'exec', passed: null, ...scoreWith(score, own, threshold) }
}

/** The columns that a map names for anything but assertions by a pattern. */
const namedColumns = (map: TableMap): ReadonlySet<string> => {
  const known = named.get(map)
  if (known) return known
  const found = new Set<string>()
  const visit = (value: unknown, key: string) => {
    if (typeof value === 'string') {
      if (['column', 'columns', 'inputs', 'by', 'input', 'output'].includes(key)) found.add(value)
    } else if (Array.isArray(value)) for (const item of value) visit(item, key)
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) visit(member, name)
  }
  visit(map, '')
  named.set(map, found)
  return found
}
const named = new WeakMap<TableMap, ReadonlySet<string>>()

/** Throws `SourceRefused` if a map names a column that a CSV file does not have. */
export const checkColumns = (map: TableMap, columns: readonly string[]): void => {
  for (const column of namedColumns(map))
    if (!column.includes('*') && !columns.includes(column))
      throw new SourceRefused(`--map: the table has no column \`${column}\`; there are ${listedNames(columns)}`)
}
