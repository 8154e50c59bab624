import { CASE_STATUSES, type CaseStatus } from '../../../domain/run/document.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { CaseDraft } from '../../document/case/case-draft.ts'
import type { Losses } from '../../document/losses.ts'
import type { TimeOptions } from '../../document/time/source-time.ts'
import type { Row } from '../../read/row.ts'
import { type TestPlace, ownTrial } from '../test-places.ts'
import { takeDuration } from './duration.ts'
import { isKnown } from '../../document/known.ts'

const STATUS: Readonly<Record<string, CaseStatus>> = {
  passed: 'pass',
  failed: 'fail',
  skipped: 'skip',
  pending: 'skip',
  other: 'error',
}

/** The provider of a report that names none. */
export const DEFAULT_PROVIDER = 'tests'

/** Reads one test. */
export const ctrfCase = (row: Row, options: TimeOptions, losses: Losses): CaseDraft => {
  const title = row.text('name') ?? ''
  const own = takeOwn(row, title)
  const written = row.text('status') ?? ''
  const word = written.toLowerCase()
  const status = own?.status ?? (Object.hasOwn(STATUS, word) ? STATUS[word]! : 'error')
  const [message, trace] = [row.text('message'), row.text('trace')]
  const isFlaky = row.boolean('flaky') === true
  const retries = isCount(row.peek('retries')) ? (row.number('retries') ?? 0) : 0
  const parts = own ? null : ctrfSuite(row)
  const output = sourceLines(row)
  const parameters = row.peek('parameters')
  return {
    provider: own?.provider ?? DEFAULT_PROVIDER,
    prompt: own?.prompt ?? null,
    test: own?.test ?? [...(parts ?? []), title].join(' > '),
    repeat: own?.repeat ?? null,
    name: own ? own.name : title,
    status,
    ...(own?.score !== undefined && { score: own.score }),
    failure:
      status === 'error'
        ? {
            message: message ?? trace?.split('\n', 1)[0] ?? `status ${written || 'unknown'}`,
            trace,
            class: own?.errorClass ?? null,
          }
        : null,
    asserts:
      status !== 'error' && (message !== null || trace !== null)
        ? [
            {
              name: null,
              kind: 'exec',
              originalType: status === 'skip' ? 'skipped' : 'failure',
              passed: status === 'skip' ? null : status === 'pass' || status === 'xfail',
              score: null,
              reason: message ?? trace,
              ...(message !== null && trace !== null && trace !== message && { details: { trace } }),
            },
          ]
        : [],
    ...(output !== null && { output }),
    ...(typeof parameters === 'object' &&
      parameters !== null &&
      !Array.isArray(parameters) && { vars: row.take('parameters') as Record<string, Json> }),
    latencyMs: takeDuration(row, options, losses),
    costUsd: own?.costUsd ?? null,
    usage: own?.usage ?? null,
    attempts: retries + 1,
    tags: [...(row.texts('tags') ?? []), ...(isFlaky ? ['flaky'] : [])],
    // The word of the tool says more than `other`, and than a status that is not of the format.
    raw: !own && (word === 'other' || !Object.hasOwn(STATUS, word)) ? { status: written } : {},
    rest: row,
  }
}

/** Where a test is: in its browser or on its device, and in its file. */
export const ctrfPlace = (row: Row): TestPlace => {
  const host = [row.peekText('browser'), row.peekText('device')].filter(isKnown).join(' ')
  return { host, suites: row.peekText('filePath') ?? '' }
}

/** Whether a value is a number of retries that can be counted on. */
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < 1e9

/** The suites a test is in: a list, or in older reports one text. */
const ctrfSuite = (row: Row): readonly string[] => {
  const list = row.texts('suite')
  if (list) return list.filter((part) => part !== '')
  return (row.text('suite') ?? '').split(' > ').filter((part) => part !== '')
}

const sourceLines = (row: Row): string | null => {
  const lines = row.texts('stdout')
  return lines === null ? null : lines.join('\n')
}

/** Takes what the CTRF export of this service says of a case; null for the reports of other tools. */
const takeOwn = (row: Row, title: string) => {
  const extra = row.row('extra')
  const raw = row.peek('rawStatus')
  const status = CASE_STATUSES.find((known) => known === raw)
  const isOwn =
    status !== undefined && ['case_key', 'provider_id', 'test_id'].every((key) => typeof extra?.peek(key) === 'string')
  if (!extra || !isOwn) return null
  const test = extra.text('test_id') ?? ''
  const repeat = extra.number('repeat') ?? 0
  const score = extra.number('score')
  const usage = extra.row('usage')
  // Of the suite, provider and prompt are in `extra`, and the name of the suite in the run.
  for (const key of ['rawStatus', 'suite']) row.take(key)
  extra.text('case_key')
  return {
    ...ownTrial(title, test, repeat, score),
    status,
    test,
    provider: extra.text('provider_id'),
    prompt: extra.text('prompt_id'),
    costUsd: extra.number('cost_usd'),
    errorClass: extra.text('error_class'),
    usage: usage && ctrfUsage(usage),
  }
}

const ctrfUsage = (row: Row) => {
  const fields = [
    ...['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens', 'cache_write_1h_tokens'],
  ] as const
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = row.number(field)
      return value === null ? [] : [[field, value] as const]
    }),
  )
}
