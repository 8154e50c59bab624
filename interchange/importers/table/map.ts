import { isScalar, parseDocument, visit, type Pair } from 'yaml'
import { ASSERTION_KINDS } from '../../../domain/run/document.ts'
import { isObject } from '../../read/row.ts'
import { finite, flag, listOf, maybe, members, named, oneOfValues, scalar, text, wrong, type Check } from './checks.ts'

/** Where a text is: fixed, in a column, or in several columns that are joined. */
export type Place =
  | { readonly const: string }
  | { readonly column: string }
  | { readonly columns: readonly string[]; readonly join: string }

/** Where the name of a test is: a place, or the columns of its inputs, whose hash names it. */
export type TestPlace = Place | { readonly inputs: readonly string[] }

const constPlace = members({ const: scalar })
const columnPlace = members({ column: text })
const columnsPlace = members({
  columns: listOf(text),
  join: (value, path) => (value === undefined ? '/' : scalar(value, path)),
})
const inputsPlace = members({ inputs: listOf(text) })

const place: Check<Place> = (value, path) => {
  if (isObject(value) && 'const' in value) return constPlace(value, path)
  if (isObject(value) && 'columns' in value) return columnsPlace(value, path)
  return columnPlace(value, path)
}

const testPlace: Check<TestPlace> = (value, path) =>
  isObject(value) && 'inputs' in value ? inputsPlace(value, path) : place(value, path)

const column = members({ column: text })
const scale = { min: maybe(finite), max: maybe(finite), lower_is_better: maybe(flag) }
const number = members({ column: text, ...scale })
const outcomes = { column: text, pass: maybe(listOf(scalar)), fail: maybe(listOf(scalar)) }
const status = members({ ...outcomes, error: maybe(listOf(scalar)), skip: maybe(listOf(scalar)) })
const kind = maybe(oneOfValues(ASSERTION_KINDS))

const assertion = members({
  name: place,
  kind,
  score: maybe(number),
  /** From which score on it passes, on the scale from 0 to 1. */
  threshold: maybe(finite),
  passed: maybe(members(outcomes)),
  reason: maybe(column),
  weight: maybe(finite),
  decides: maybe(flag),
})

/** Assertions that are columns of their own. A name with `*` stands for all columns that it fits and nothing else uses. */
const wideAssertions = members({
  columns: listOf(text),
  kind,
  ...scale,
  threshold: maybe(finite),
})

/** Assertions that are the members of one column, which has an object: each number and boolean in it is one. */
const nestedAssertions = members({ members: text, kind, ...scale, threshold: maybe(finite) })

export type AssertionPlace = ReturnType<typeof assertion>
export type WideAssertions = ReturnType<typeof wideAssertions>
export type NestedAssertions = ReturnType<typeof nestedAssertions>

/** Whether assertions are listed one by one. */
export const isListed = (places: TableMap['asserts']): places is readonly AssertionPlace[] => Array.isArray(places)

const asserts: Check<readonly AssertionPlace[] | WideAssertions | NestedAssertions> = (value, path) => {
  if (Array.isArray(value)) return listOf(assertion)(value, path)
  if (isObject(value) && 'members' in value) return nestedAssertions(value, path)
  return wideAssertions(value, path)
}

export const FORMATS = ['csv', 'tsv', 'jsonl', 'json'] as const

const mapShape = members({
  format: oneOfValues(FORMATS),
  /** CSV: the character between fields. */
  delimiter: maybe(text),
  /** JSON: the path of the array of rows; absent, the top of the file. */
  rows: maybe(text),
  /** JSON whose rows are arrays: the path of the names of the columns. */
  header: maybe(text),
  run: maybe(
    members({
      id: maybe(column),
      by: maybe(listOf(text)),
      project: maybe(place),
      suite: maybe(place),
      started_at: maybe(place),
      finished_at: maybe(place),
      description: maybe(place),
      branch: maybe(place),
      commit: maybe(place),
    }),
  ),
  case: members({
    provider: maybe(place),
    test: testPlace,
    prompt: maybe(place),
    name: maybe(place),
    tags: maybe(members({ columns: listOf(text) })),
    repeat: maybe(members({ column: text, from: maybe(finite) })),
    vars: maybe(members({ columns: listOf(text) })),
  }),
  status: maybe(status),
  score: maybe(number),
  asserts: maybe(asserts),
  /** Facts of scores by their name, for assertions that do not state them. */
  scores: maybe(named(members(scale))),
  output: maybe(members({ column: text, json: maybe(flag) })),
  /** A column with the turns of a conversation: the last answer is the output, the others the prompt. */
  messages: maybe(column),
  error: maybe(column),
  latency: maybe(members({ column: text, unit: oneOfValues(['s', 'ms']) })),
  cost_usd: maybe(column),
  tokens: maybe(members({ input: maybe(text), output: maybe(text) })),
})

/** How the columns of a table become cases. */
export type TableMap = ReturnType<typeof mapShape>

/**
 * Checks a map that was parsed from YAML or JSON. Throws `SourceRefused` with the path of the first error; of an unknown
 * key, the nearest known one is named.
 */
export const checkMap = (value: unknown): TableMap => {
  const map = mapShape(value, '')
  if (map.delimiter !== undefined && map.delimiter.length !== 1) throw wrong('delimiter', 'must be one character')
  if (map.format !== 'json' && (map.rows !== undefined || map.header !== undefined))
    throw wrong(map.rows === undefined ? 'header' : 'rows', 'is for the format json')
  if (map.status === undefined && map.asserts === undefined && map.score === undefined)
    throw wrong('', 'must have one of `status`, `asserts` and `score`: otherwise no case has a result')
  const { asserts: places } = map
  for (const { min, max } of [
    map.score,
    ...(isListed(places) ? places.map(({ score }) => score) : [places]),
    ...Object.values(map.scores ?? {}),
  ].filter((range) => range !== undefined))
    if ((max ?? 1) <= (min ?? 0)) throw wrong('a score', 'must have a max that is larger than its min')
  return map
}

const MAX_MAP_BYTES = 1024 * 1024

/** Parses the text of a map, YAML or JSON, and checks it. */
export const parseMap = (source: string): TableMap => {
  if (source.length > MAX_MAP_BYTES) throw wrong('', `must not be larger than ${MAX_MAP_BYTES} bytes`)
  return checkMap(parseYaml(source))
}

const checkKeys = (items: readonly Pair[]): void => {
  const used = new Set<unknown>()
  for (const { key } of items) {
    const name = isScalar(key) ? key.value : key
    if (used.has(name)) throw new Error(`the key ${String(name)} is there twice`)
    used.add(name)
  }
}

export const parseYaml = (source: string): unknown => {
  try {
    // The library compares each key with all others, which takes minutes for a map of a megabyte.
    const document = parseDocument(source, { uniqueKeys: false, prettyErrors: true })
    const [fault] = document.errors
    if (fault) throw fault
    visit(document, { Map: (_, { items }) => checkKeys(items) })
    // Aliases could make a small text very large.
    return document.toJS({ maxAliasCount: 0 })
  } catch (error) {
    throw wrong('', `is not valid YAML: ${(error as Error).message.split('\n', 1)[0]!.slice(0, 200)}`)
  }
}
