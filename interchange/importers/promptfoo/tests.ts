import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import { sha256, testIdOfInputs } from '../../document/identity.ts'
import { isObject } from '../../read/row.ts'
import { numberedName, uniqueNames } from '../../../domain/text/unique-names.ts'
import type { Json } from '../../../domain/run/readers.ts'

/** A row of an evaluation, in the shape of the JSON output. */
export type EvaluationRow = Record<string, Json>

/** The name of a test, and the number of the trial; null if the row does not have the number of its test. */
export type TestName = { readonly test: string; readonly repeat: number | null }

/** The names of all tests of an evaluation. */
export type TestPlan = { readonly nameOf: (row: EvaluationRow) => TestName }

/** A test: the same variables, assertions and description. Each repetition of it has its own number. */
type Test = {
  readonly inputs: string
  readonly description: string
  readonly numbers: Set<number>
  readonly order: number
}

/**
 * Names the tests of an evaluation: by the description if no other test has it, else by a hash of the variables, with `#2`
 * and so on for the same variables with other assertions. Names depend on the numbers of the tests alone, and not on the
 * order of the rows, which differs between the JSON output and the database. `onRow` receives each row.
 */
export const planTests = async (
  rows: AsyncIterable<EvaluationRow> | Iterable<EvaluationRow>,
  onRow: (row: EvaluationRow) => void,
): Promise<TestPlan> => {
  const tests = new Map<string, Test>()
  const keyOf = keyReader()
  for await (const row of rows) {
    onRow(row)
    const { key, inputs, description } = keyOf(row)
    let test = tests.get(key)
    if (test === undefined)
      tests.set(key, (test = { inputs: inputs(), description, numbers: new Set(), order: tests.size }))
    const number = numberOf(row)
    if (number !== null) test.numbers.add(number)
  }
  return namedTests(tests)
}

const namedTests = (tests: ReadonlyMap<string, Test>): TestPlan => {
  const withDescription = new Map<string, number>()
  for (const { description } of tests.values())
    withDescription.set(description, (withDescription.get(description) ?? 0) + 1)
  const unique = uniqueNames(numberedName)
  const names = new Map<string, { readonly test: string; readonly repeats: ReadonlyMap<number, number> }>()
  for (const [key, { inputs, description, numbers }] of [...tests].sort(([, a], [, b]) => compareTests(a, b))) {
    const isUnique = description !== '' && withDescription.get(description) === 1
    const repeats = new Map([...numbers].sort((a, b) => a - b).map((number, repeat) => [number, repeat]))
    names.set(key, { test: unique(isUnique ? description : inputs), repeats })
  }
  const keyOf = keyReader()
  return {
    nameOf: (row) => {
      const { key, inputs } = keyOf(row)
      const name = names.get(key)
      // A row that was not there when the tests were named: the file is being written.
      if (name === undefined) return { test: inputs(), repeat: null }
      return { test: name.test, repeat: name.repeats.get(numberOf(row) ?? -1) ?? null }
    },
  }
}

const compareTests = (a: Test, b: Test): number => firstNumber(a) - firstNumber(b) || a.order - b.order

const firstNumber = ({ numbers }: Test): number => {
  let first = Number.MAX_SAFE_INTEGER
  for (const number of numbers) if (number < first) first = number
  return first
}

const numberOf = (row: EvaluationRow): number | null => {
  const number = row['testIdx']
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : null
}

/** Reads what makes a test. Rows of one test mostly follow each other, so the last one is remembered. */
const keyReader = () => {
  let last = { text: '', key: '', description: '', inputs: (): string => '' }
  return (row: EvaluationRow) => {
    const testCase = row['testCase']
    const test = isObject(testCase) ? testCase : {}
    const vars = test['vars'] ?? row['vars'] ?? {}
    const description = typeof test['description'] === 'string' ? test['description'].trim() : ''
    const parts = [vars, test['assert'] ?? [], description]
    const text = JSON.stringify(parts)
    if (text !== last.text)
      last = { text, key: sha256(canonicalJson(parts)), description, inputs: () => testIdOfInputs(vars, 'vars') }
    return last
  }
}
