import type { CaseStatus } from '../../../domain/run/document.ts'
import type { Losses } from '../../document/losses.ts'
import { contradiction } from '../../document/tool-counts.ts'
import type { Row } from '../../read/row.ts'
import type { FoundCase } from './elements.ts'
import { failedSuite } from './outcome.ts'

/** The counts of a suite. A test with several results, such as a failure and an error of its teardown, may count as several. */
type SuiteCounts = { tests: number; failed: number; skipped: number; results: number; failures: number }

const none = (): SuiteCounts => ({ tests: 0, failed: 0, skipped: 0, results: 0, failures: 0 })

/**
 * Counts the tests of suites, and compares them with the totals that each suite states. Tools differ: totals may include
 * inner suites or not, skipped tests or not, and errors may be among the failures. Only a total that none of these ways of counting gives
 * is recorded as contradicted.
 */
export const suiteCounter = (losses: Losses) => {
  /** By the depth of the open suites: the counts of what is directly in them, and of everything in them. */
  const direct: SuiteCounts[] = []
  const all: SuiteCounts[] = []
  const at = (suites: SuiteCounts[], depth: number): SuiteCounts => (suites[depth] ??= none())
  const add = (suite: SuiteCounts, { tests, failed, skipped, results, failures }: SuiteCounts) => {
    suite.tests += tests
    suite.failed += failed
    suite.skipped += skipped
    suite.results += results
    suite.failures += failures
  }
  const addBoth = (depth: number, item: SuiteCounts) => {
    add(at(direct, depth), item)
    add(at(all, depth), item)
  }

  return {
    addCase: ({ element, depth }: FoundCase, status: CaseStatus | undefined): void => {
      const [errors, failures, skips] = ['error', 'failure', 'skipped'].map((name) =>
        Array.isArray(element[name]) ? element[name].length : 0,
      ) as [number, number, number]
      const isFailed = errors + failures > 0 || status === 'error' || status === 'fail'
      addBoth(depth, {
        tests: 1,
        failed: Number(isFailed),
        skipped: Number(skips > 0 || status === 'skip'),
        // A test that passed and whose teardown failed counts twice in some tools.
        results: Math.max(1, errors + failures + skips + Number(errors > 0)),
        failures: Math.max(Number(isFailed), errors + failures),
      })
    },
    /** Counts a suite that failed as a whole, which is no test. */
    addFailedSuite: (depth: number): void => addBoth(depth, { ...none(), failed: 1, failures: 1, results: 1 }),
    /** Compares the totals of a suite, before they are taken from its row. */
    endSuite: (depth: number, row: Row): void => {
      compare(row, at(direct, depth), at(all, depth), losses)
      const failed = at(all, depth).failed > 0 ? null : failedSuite(row, losses)
      if (failed !== null)
        losses.add('contradicted', `${row.path}.status`, failed, `the suite says ${failed}, and no test in it failed`)
      if (depth > 1) add(at(all, depth - 1), at(all, depth))
      direct.length = depth
      all.length = depth
    },
  }
}

const compare = (row: Row, direct: SuiteCounts, all: SuiteCounts, losses: Losses): void => {
  const stated = (name: string): number | null => {
    const value = row.peek(name)
    return typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : null
  }
  const [tests, failures, errors] = [stated('tests'), stated('failures') ?? stated('failed'), stated('errors')]
  const [skipped, disabled] = [stated('skipped'), stated('disabled')]
  const { path } = row
  const isAny = (
    counts: readonly (number | null)[],
    of: (suite: SuiteCounts) => readonly [least: number, most: number],
  ) =>
    [direct, all].some((suite) => {
      const [least, most] = of(suite)
      return counts.some((count) => count !== null && count >= least && count <= most)
    })
  if (
    tests !== null &&
    !isAny([tests], (suite) => [suite.tests, suite.results]) &&
    !isAny([tests], (suite) => [suite.tests - suite.skipped, suite.tests - suite.skipped])
  )
    contradiction(losses, `${path}.tests`, tests, all.tests)
  if (failures !== null || errors !== null) {
    const both = (failures ?? 0) + (errors ?? 0)
    const areErrorsAmong = failures !== null && errors !== null && errors > 0 && failures >= errors
    if (!isAny([both, areErrorsAmong ? failures : null], (suite) => [suite.failed, suite.failures]))
      contradiction(losses, `${path}.failures`, both, all.failed, 'failed')
  }
  if (skipped !== null || disabled !== null) {
    const both = (skipped ?? 0) + (disabled ?? 0)
    if (!isAny([both, skipped, disabled || null], (suite) => [suite.skipped, suite.skipped]))
      contradiction(losses, `${path}.skipped`, both, all.skipped, 'skipped')
  }
}
