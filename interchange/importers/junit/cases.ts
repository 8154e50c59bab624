import { CASE_STATUSES, type CaseStatus } from '../../../domain/run/document.ts'
import type { AssertionDraft, CaseDraft } from '../../document/case/case-draft.ts'
import { rowOf, type Row } from '../../read/row.ts'
import type { Losses } from '../../document/losses.ts'
import type { FoundCase } from './elements.ts'
import { takeSeconds } from './numbers.ts'
import { junitOutcome } from './outcome.ts'
import { propertiesObject, takeProperties, type Properties } from './properties.ts'
import { ownTrial } from '../test-places.ts'

/** The provider of a report that names none. */
export const DEFAULT_PROVIDER = 'tests'

/** The name of the case for a suite that failed as a whole. */
const SUITE_TITLE = '(suite)'

/** Earlier attempts of a test, as Maven Surefire writes them. */
const FLAKY = ['flakyFailure', 'flakyError'] as const
const RERUN = ['rerunFailure', 'rerunError'] as const

/** Reads one test case. */
export const junitCase = ({ element, suites, isSuite }: FoundCase, losses: Losses): CaseDraft => {
  const row = rowOf(element, 'testcase.*')
  const properties = takeProperties(row)
  const title = row.text('name') ?? (isSuite ? SUITE_TITLE : '')
  const own = ownOf(properties, title)
  const className = row.text('classname') || row.text('class')
  const [errors, failures, skips] = [row.rows('error'), row.rows('failure'), row.rows('skipped')]
  const isFlaky = FLAKY.some((name) => row.rows(name).length > 0)
  const earlier = [...FLAKY, ...RERUN].reduce((sum, name) => sum + row.rows(name).length, 0)
  const { status, reason } = junitOutcome(row, losses)
  const asserts = [
    ...errors.slice(1).map((error) => elementAssertion(error, 'error')),
    ...failures.map((failure) => elementAssertion(failure, 'failure')),
    ...skips
      .map((skip) => elementAssertion(skip, 'skipped'))
      .filter((assertion) => assertion.reason !== null || assertion.details !== undefined),
    ...(reason !== null && status === 'fail' ? [failedBy(reason)] : []),
  ]
  const output = junitOutput(row, own !== null)
  const prefix = className || suites.join(' > ')
  const seconds = takeSeconds(row, losses)
  const failure = errors[0]
    ? junitFailure(errors[0])
    : reason !== null && status === 'error'
      ? { message: reason }
      : null
  return {
    provider: own?.provider ?? properties.get('provider_id')?.[0] ?? DEFAULT_PROVIDER,
    prompt: own?.prompt ?? null,
    test: own?.test ?? (prefix === '' ? title : `${prefix}.${title}`),
    repeat: own?.repeat ?? null,
    name: own ? own.name : title,
    status: own?.status ?? status,
    ...(own?.score !== undefined && { score: own.score }),
    failure: own === null || own.status === 'error' ? failure : null,
    asserts,
    ...(output !== null && { output }),
    latencyMs: seconds === null ? null : seconds * 1000,
    attempts: earlier + 1,
    tags: isFlaky ? ['flaky'] : [],
    raw: {
      ...(className !== null && className !== '' && suites.length > 0 && own === null && { suite: suites.join(' > ') }),
      ...(properties.size > 0 && own === null && { properties: propertiesObject(properties) }),
    },
    rest: row,
  }
}

/** An assertion for a failure that only an attribute or an inner element shows. */
const failedBy = (reason: string): AssertionDraft => ({
  name: null,
  kind: 'exec',
  originalType: 'failure',
  passed: false,
  score: null,
  reason,
})

/** The text of an element without the white space around it; null if there is none. */
const takeText = (row: Row): string | null => {
  const text = row.text('#text')?.trim()
  return text === undefined || text === '' ? null : text
}

const junitFailure = (error: Row): NonNullable<CaseDraft['failure']> => {
  const text = takeText(error)
  const message = error.text('message') || text?.split('\n', 1)[0]?.trim() || 'error'
  return { message, trace: text }
}

const elementAssertion = (element: Row, name: 'error' | 'failure' | 'skipped'): AssertionDraft => {
  const text = takeText(element)
  const message = element.text('message')?.trim() || null
  const type = element.text('type')
  // Most tools repeat the message as the beginning of the text.
  const reason = message === null || text?.includes(message) ? text : [message, text].filter(Boolean).join('\n')
  return {
    name: null,
    kind: 'exec',
    originalType: name,
    passed: name === 'failure' ? false : null,
    ...(name === 'error' && { status: 'error' }),
    ...(name === 'skipped' && { status: 'skipped' }),
    score: null,
    reason,
    ...(type !== null && type !== '' && { details: { type } }),
  }
}

/** What the test wrote to its standard output. */
const junitOutput = (row: Row, isExact: boolean): string | null => {
  const parts = row.rows('system-out')
  if (parts.length === 0) return null
  const output = parts.map((part) => part.text('#text') ?? '').join('\n')
  return isExact || output.trim() !== '' ? output : null
}

/** What the JUnit export of this service says in the properties of a case; null for the reports of other tools. */
const ownOf = (properties: Properties, title: string) => {
  const get = (name: string): string | null => properties.get(name)?.[0] ?? null
  const [provider, test, status, score] = [get('provider_id'), get('test_id'), get('status'), get('score')]
  const isStatus = (value: string | null): value is CaseStatus => CASE_STATUSES.some((known) => known === value)
  if (provider === null || test === null || get('case_key') === null || !isStatus(status)) return null
  const trial = ownTrial(title, test, Number(get('repeat') ?? 0), score === null ? null : Number(score))
  return { ...trial, provider, test, status, prompt: get('prompt_id') }
}
