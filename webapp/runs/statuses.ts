import type { CaseListItem } from '../../queries/cases/cases.ts'

export type Status = CaseListItem['status']

/** The order of statuses everywhere. */
export const STATUSES = ['pass', 'fail', 'error', 'skip', 'xfail', 'xpass'] as const satisfies readonly Status[]

/** A status in words. */
export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  pass: 'Pass',
  fail: 'Fail',
  error: 'Error',
  skip: 'Skip',
  xfail: 'Expected fail',
  xpass: 'Unexpected pass',
}
