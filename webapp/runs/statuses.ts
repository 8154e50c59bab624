import type { CaseListItem } from '../../queries/cases/cases.ts'

export type Status = CaseListItem['status']

/** All statuses, in the order in which every page shows them. */
export const STATUSES = ['pass', 'fail', 'error', 'skip', 'xfail', 'xpass'] as const satisfies readonly Status[]

/** The label of a status. */
export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  pass: 'Pass',
  fail: 'Fail',
  error: 'Error',
  skip: 'Skip',
  xfail: 'Expected fail',
  xpass: 'Unexpected pass',
}
