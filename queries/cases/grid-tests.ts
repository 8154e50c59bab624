import { z } from 'zod'
import { columnProviders } from '../../domain/run/matrix.ts'
import { readOutline, type Outline } from '../../domain/series/outline.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import { compareTuples } from '../tuple-cursor.ts'

// A grid whose rows are tests. Where each run is of another model, no two runs have a case in common; the tests are what
// they share.

const count = z.number().int()
const text = z.string().nullable()

type GridRun = { readonly run_no: number; readonly outline: Buffer; readonly matrix_columns: string | null }

/** The number of the row that has a case. */
export type RowKey = (cases: Outline, i: number, run: Pick<GridRun, 'run_no'>) => number

const CaseTest = z.object({ n: count, test_id: text })

const readTests = async (reader: Reader, run_no: number): Promise<ReadonlyMap<number, string>> => {
  const found = await reader.read(any(sql.type(CaseTest)`SELECT n, test_id FROM cases WHERE run_no = ${run_no}`))
  return new Map(found.flatMap(({ n, test_id }) => (test_id === null ? [] : [[n, test_id]])))
}

/** The test of each case of a run, by the index of the case. Reads each run once. */
export type TestsOf = (run_no: number) => Promise<ReadonlyMap<number, string>>
export const testsReader = (reader: Reader): TestsOf => {
  const read = new Map<number, ReturnType<TestsOf>>()
  return (run_no) => {
    const tests = read.get(run_no) ?? readTests(reader, run_no)
    read.set(run_no, tests)
    return tests
  }
}

/** A share of cases that are in one run only, from which on the runs have no cases in common. */
const ALONE_SHARE = 0.8
/** A share of the tests of the newest run that another run has, from which on the runs share their tests. */
const COMMON_SHARE = 0.5
/** Cases of one run on a test, on average, from which on a single run is shown by test. */
const CASES_PER_TEST = 1.5

/** Whether runs share tests but no cases, as when each run is of another model; or one run has several cases a test. */
export const isByTest = async (tests: TestsOf, runs: readonly GridRun[]): Promise<boolean> => {
  const seen = new Map<number, number>()
  for (const run of runs) {
    const cases = readOutline(run.outline)
    for (const key of new Set(Array.from({ length: cases.size }, (_, i) => cases.unitKey(i))))
      seen.set(key, (seen.get(key) ?? 0) + 1)
  }
  const [newest, before] = runs.toReversed()
  if (!newest || seen.size === 0) return false
  const alone = [...seen.values()].filter((times) => times === 1).length
  if (alone < seen.size * ALONE_SHARE) return false
  const own = new Set((await tests(newest.run_no)).values())
  if (!before) return seen.size >= own.size * CASES_PER_TEST
  const others = new Set((await tests(before.run_no)).values())
  return [...own].filter((test) => others.has(test)).length >= Math.max(1, own.size * COMMON_SHARE)
}

/** Numbers the tests of all runs, so that all cases of a test are in one row. */
export const rowByTest = async (tests: TestsOf, runs: readonly GridRun[]): Promise<RowKey> => {
  const numbers = new Map<string, number>()
  const rowOf = new Map<number, ReadonlyMap<number, number>>()
  for (const { run_no } of runs) {
    const rows = new Map<number, number>()
    for (const [n, test_id] of await tests(run_no)) {
      const number = numbers.get(test_id) ?? numbers.size
      numbers.set(test_id, number)
      rows.set(n, number)
    }
    rowOf.set(run_no, rows)
  }
  // A case without a test is a row of its own.
  return (cases, i, { run_no }) => rowOf.get(run_no)?.get(cases.n(i)) ?? -1 - cases.historyKey(i)
}

const ProviderRow = z.object({ provider_id: z.string(), passed: count, total: count })

/** The cases of a run by provider, the best first; none if it has a single one. */
export const readProviders = async (
  reader: Reader,
  run: GridRun | undefined,
): Promise<Array<z.infer<typeof ProviderRow>>> => {
  if (!run || columnProviders(run.matrix_columns).length < 2) return []
  const rows = await reader.read(
    any(sql.type(ProviderRow)`
      SELECT provider_id, count(CASE WHEN status = 'pass' THEN 1 END) AS passed, count(*) AS total
      FROM cases WHERE run_no = ${run.run_no} AND provider_id IS NOT NULL GROUP BY provider_id`),
  )
  return rows.toSorted(
    (a, b) => b.passed / b.total - a.passed / a.total || compareTuples([a.provider_id], [b.provider_id]),
  )
}
