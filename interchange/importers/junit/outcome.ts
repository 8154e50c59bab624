import type { CaseStatus } from '../../../domain/run/document.ts'
import type { Losses } from '../../document/losses.ts'
import { isObject } from '../../read/row.ts'
import type { Row } from '../../read/row.ts'

/** The outcome of a test. `reason`: what shows a failure or an error, if it is no element directly in the test. */
export type Outcome = { readonly status: CaseStatus; readonly reason: string | null }

type Plain = 'error' | 'fail' | 'skip' | 'pass'

/** Words of `status` and `result` (googletest, NUnit, behave and tools after them), in lower case and without separators. */
const WORDS: Readonly<Record<Plain, readonly string[]>> = {
  error: [
    ...['error', 'errored', 'errors', 'broken', 'crashed', 'crash', 'exception', 'aborted', 'cancelled', 'canceled'],
    ...['timeout', 'timedout', 'interrupted', 'undefined', 'invalid'],
  ],
  fail: ['fail', 'failed', 'failure', 'failures', 'unsuccessful', 'ko', 'false'],
  skip: [
    ...[
      'skip',
      'skipped',
      'notrun',
      'notrunnable',
      'notexecuted',
      'disabled',
      'ignored',
      'ignore',
      'suppressed',
      'untested',
    ],
    ...['pending', 'todo', 'inconclusive', 'blocked', 'deselected', 'excluded'],
  ],
  pass: [
    ...[
      'pass',
      'passed',
      'success',
      'successful',
      'succeeded',
      'ok',
      'run',
      'completed',
      'complete',
      'executed',
      'true',
    ],
    ...['passedwithwarnings', 'warning', 'flaky', 'fixed'],
  ],
}

const STATUS_OF: ReadonlyMap<string, Plain> = new Map(
  Object.entries(WORDS).flatMap(([status, words]) => words.map((word) => [word, status as Plain] as const)),
)

/** From the worst on: of several signs, the worst counts. */
const ORDER: readonly Plain[] = ['error', 'fail', 'skip', 'pass']

/** Elements of a test that say nothing of its outcome: earlier attempts, output and facts. */
const NO_OUTCOME: ReadonlySet<string> = new Set([
  ...['flakyFailure', 'flakyError', 'rerunFailure', 'rerunError', 'properties', 'system-out', 'system-err'],
])

/**
 * How a test ended. Its elements say so, else its attributes `status`, `result`, `success` and `executed`, or an `error` or
 * a `failure` deeper in it. Of several signs, the worst counts: a test that failed anywhere is never shown as passed.
 * A word that is not known is recorded, and stays in the row.
 */
export const outcomeOf = (row: Row, losses: Losses): Outcome => {
  const ofElements: Plain | null =
    row.rows('error').length > 0
      ? 'error'
      : row.rows('failure').length > 0
        ? 'fail'
        : row.rows('skipped').length > 0
          ? 'skip'
          : null
  const signs = [...attributeSigns(row, losses), ...innerSigns(row)]
  const found = ORDER.find((status) => status === ofElements || signs.some((sign) => sign.status === status)) ?? 'pass'
  const isShown = found === ofElements || found === 'pass'
  return { status: found, reason: isShown ? null : (signs.find(({ status }) => status === found)?.reason ?? null) }
}

type Sign = { readonly status: Plain; readonly reason: string }

const attributeSigns = (row: Row, losses: Losses): readonly Sign[] =>
  (['status', 'result', 'success', 'executed'] as const).flatMap((name) => {
    const value = row.peek(name)
    if (typeof value !== 'string' || value.trim() === '') return []
    const word = value.toLowerCase().replaceAll(/[\s_-]/g, '')
    const reason = `${name}="${value}"`
    if (name === 'executed') return word === 'false' || word === 'no' ? [{ status: 'skip' as const, reason }] : []
    const status = STATUS_OF.get(word)
    if (status !== undefined) return [{ status, reason }]
    losses.add('assumed', `${row.path}.${name}`, value, 'not a known word: the elements of the test decide')
    return []
  })

/** An error or a failure in an element of the test that is of no known kind, such as a step or a test in a test. */
const innerSigns = (row: Row): readonly Sign[] => {
  const inner = Object.entries(row.value).flatMap(([name, value]) =>
    name === 'error' || name === 'failure' || NO_OUTCOME.has(name) || !Array.isArray(value) ? [] : [value as unknown[]],
  )
  return (['error', 'failure'] as const).flatMap((name) =>
    inner.some((elements) => elements.some((element) => holds(element, name)))
      ? [
          {
            status: name === 'error' ? ('error' as const) : ('fail' as const),
            reason: `${name === 'error' ? 'an <error>' : 'a <failure>'} inside of the test`,
          },
        ]
      : [],
  )
}

const holds = (element: unknown, name: string): boolean =>
  isObject(element) &&
  Object.entries(element).some(
    ([key, value]) =>
      Array.isArray(value) &&
      !NO_OUTCOME.has(key) &&
      (key === name || (value as unknown[]).some((child) => holds(child, name))),
  )
