import type { CaseStatus } from '../../../domain/run/document.ts'
import type { Losses } from '../../document/losses.ts'
import { isObject, type Row } from '../../read/row.ts'

/** The outcome of a test. `reason`: what shows a failure or an error, if it is no element directly in the test. */
export type Outcome = { readonly status: CaseStatus; readonly reason: string | null }

type Plain = 'error' | 'fail' | 'skip' | 'pass'

/** Words of a status (googletest, NUnit, behave and tools after them), in lower case and without separators. */
const WORDS: Readonly<Record<Plain, string>> = {
  error:
    'error errored errors broken crashed crash exception aborted cancelled canceled timeout timedout interrupted ' +
    'undefined invalid killed hung',
  fail:
    'fail failed failure failures unsuccessful ko notok unstable xpass xpassed unexpectedpass unexpectedsuccess ' +
    'false no',
  skip:
    'skip skipped notrun notrunnable notexecuted disabled ignored ignore suppressed untested pending todo ' +
    'inconclusive blocked deselected excluded xfail xfailed expectedfailure knownfailure',
  pass:
    'pass passed success successful succeeded ok run completed complete executed passedwithwarnings warning flaky fixed ' +
    'true yes',
}

const STATUS_OF: ReadonlyMap<string, Plain> = new Map(
  Object.entries(WORDS).flatMap(([status, words]) => words.split(' ').map((word) => [word, status as Plain] as const)),
)

/** The beginning of a longer status, such as `FAILED (timeout)`. A text that begins like a success may end with a failure. */
const BEGINNINGS: ReadonlyArray<readonly [beginning: string, status: Plain]> = [
  ['error', 'error'],
  ['timeout', 'error'],
  ['timedout', 'error'],
  ['fail', 'fail'],
  ['skip', 'skip'],
]

/** Attributes that say how a test ended, in lower case: in words, or as a yes or no. */
const STATUS_ATTRIBUTES: ReadonlySet<string> = new Set(['status', 'result', 'outcome', 'state', 'verdict'])
const TRUTHS: ReadonlyMap<string, { readonly yes: Plain; readonly no: Plain }> = new Map([
  ['success', { yes: 'pass', no: 'fail' }],
  ['passed', { yes: 'pass', no: 'fail' }],
  ['failed', { yes: 'fail', no: 'pass' }],
  ['executed', { yes: 'pass', no: 'skip' }],
] as const)
const YES: ReadonlySet<string> = new Set(['true', 'yes', '1'])
const NO: ReadonlySet<string> = new Set(['false', 'no', '0'])
/** Attributes that count what went wrong in a test, in lower case. */
const COUNTS: ReadonlyMap<string, Plain> = new Map([
  ['failures', 'fail'],
  ['errors', 'error'],
] as const)

/** Elements of a test that show how it ended, in lower case. */
const STATUS_ELEMENTS: ReadonlyMap<string, Plain> = new Map([
  ['error', 'error'],
  ['failure', 'fail'],
  ['failed', 'fail'],
  ['fail', 'fail'],
  ['skipped', 'skip'],
  ['ignored', 'skip'],
] as const)

/** From the worst to the best: of several signs, the worst counts. */
const ORDER: readonly Plain[] = ['error', 'fail', 'skip', 'pass']

/** Elements of a test that say nothing of its outcome: earlier attempts, output and facts. */
const NO_OUTCOME: ReadonlySet<string> = new Set([
  ...['flakyFailure', 'flakyError', 'rerunFailure', 'rerunError', 'properties', 'system-out', 'system-err'],
])

/**
 * How a test ended. Its elements say so, else its attributes, or an error or a failure deeper in it. Of several signs, the
 * worst counts: a test that failed anywhere is never shown as passed. A word that is not known is recorded, and stays in
 * the row.
 */
export const junitOutcome = (row: Row, losses: Losses): Outcome => {
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

/** The attribute by which a suite says that it failed; null if none does. Other attributes of suites may be counts. */
export const failedSuite = (row: Row, losses: Losses): string | null =>
  attributeSigns(row, losses, (key) => STATUS_ATTRIBUTES.has(key) || key === 'success').find(
    ({ status }) => status === 'error' || status === 'fail',
  )?.reason ?? null

type Sign = { readonly status: Plain; readonly reason: string }

const attributeSigns = (row: Row, losses: Losses, isRead = (_key: string) => true): readonly Sign[] =>
  Object.entries(row.value).flatMap(([name, value]) => {
    const key = name.toLowerCase()
    if (typeof value !== 'string' || value.trim() === '' || !isRead(key)) return []
    const word = value.toLowerCase().replaceAll(/[\s_-]/g, '')
    const [truth, counted] = [TRUTHS.get(key), COUNTS.get(key)]
    const reason = `${name}="${value}"`
    if (counted !== undefined) return /^0*[1-9]\d*$/.test(word) ? [{ status: counted, reason }] : []
    if (truth === undefined && !STATUS_ATTRIBUTES.has(key)) return []
    const status = truth === undefined ? junitStatus(word) : truthOf(word, truth)
    if (status !== null) return [{ status, reason }]
    losses.add('assumed', `${row.path}.${name}`, value, 'not a known word: the elements of the test decide')
    return []
  })

const junitStatus = (word: string): Plain | null =>
  STATUS_OF.get(word) ?? BEGINNINGS.find(([beginning]) => word.startsWith(beginning))?.[1] ?? null

/** A number other than 0 and 1 may be a count, and says nothing. */
const truthOf = (word: string, { yes, no }: { readonly yes: Plain; readonly no: Plain }): Plain | null =>
  YES.has(word) ? yes : NO.has(word) ? no : null

/**
 * The signs in other elements of a test: an error, failure or skip in another spelling, or inside of an element of another
 * kind, such as a step or an inner test. A skipped step says nothing about its test.
 */
const innerSigns = (row: Row): readonly Sign[] =>
  Object.entries(row.value).flatMap(([name, value]) => {
    if (EXACT.has(name) || NO_OUTCOME.has(name) || !Array.isArray(value)) return []
    const status = STATUS_ELEMENTS.get(name.toLowerCase())
    if (status !== undefined) return [{ status, reason: `<${name}>` }]
    return (value as unknown[]).flatMap((element) => signsIn(element))
  })

/** The elements that `junitOutcome` reads itself. */
const EXACT: ReadonlySet<string> = new Set(['error', 'failure', 'skipped'])

const signsIn = (element: unknown): readonly Sign[] =>
  !isObject(element)
    ? []
    : Object.entries(element).flatMap(([name, value]): readonly Sign[] => {
        if (!Array.isArray(value) || NO_OUTCOME.has(name)) return []
        const status = STATUS_ELEMENTS.get(name.toLowerCase())
        const own =
          status === 'error' || status === 'fail'
            ? [{ status, reason: `${status === 'error' ? 'an' : 'a'} <${name}> inside of the test` }]
            : []
        return [...own, ...(value as unknown[]).flatMap((child) => signsIn(child))]
      })
