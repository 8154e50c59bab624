import { CLASSES_OF_THE_SUITE } from '../error-classes.ts'
import type { CaseDocument } from './run-document.ts'

/** The exit codes of `ers run`. */
export const EXIT = { clean: 0, failed: 1, suite: 2, harness: 3, interrupted: 130 } as const

/** What of a case the exit code depends on. */
export type CaseOutcome = Pick<CaseDocument, 'status' | 'error_class' | 'answered_by_provider_id'> & {
  /** An error of this case asks for the exit code 3, whatever its class. */
  readonly harness?: boolean
}

/** What the exit code of a run depends on. */
export type ExitFacts = {
  readonly interrupted: boolean
  readonly outcomes: readonly CaseOutcome[]
  readonly shareFailed: boolean
  readonly outputFailed: boolean
  /** A baseline was asked for and could not be read. One that does not exist is no failure. */
  readonly baselineFailed: boolean
  /** Cases that passed in the baseline and do not pass now. */
  readonly newlyFailing: number
}

type Row = {
  readonly code: (typeof EXIT)[keyof typeof EXIT]
  readonly when: string
  readonly applies: (facts: ExitFacts) => boolean
}

const isGraded = ({ status }: CaseOutcome): boolean => status !== 'skip'
/** An error without a class counts as one outside of the suite. */
const isHarnessError = ({ status, error_class, harness }: CaseOutcome): boolean =>
  status === 'error' && (harness === true || error_class === undefined || !CLASSES_OF_THE_SUITE.includes(error_class))

/**
 * The exit codes of a run that took place, most important first: the first row that applies decides. Everything that
 * keeps a run from taking place is a `UsageError` (2) or a `HarnessError` (3).
 */
export const EXIT_TABLE: readonly Row[] = [
  { code: EXIT.interrupted, when: 'the run was interrupted', applies: ({ interrupted }) => interrupted },
  { code: EXIT.harness, when: 'an output could not be written', applies: ({ outputFailed }) => outputFailed },
  { code: EXIT.harness, when: 'the upload failed', applies: ({ shareFailed }) => shareFailed },
  {
    code: EXIT.harness,
    when: 'a case has an error outside of the suite: of a provider, a program, a grader or the cache, or one without a class',
    applies: ({ outcomes }) => outcomes.some(isHarnessError),
  },
  {
    code: EXIT.suite,
    when: 'a case has an error of the suite',
    applies: ({ outcomes }) => outcomes.some(({ status }) => status === 'error'),
  },
  { code: EXIT.suite, when: 'the baseline could not be read', applies: ({ baselineFailed }) => baselineFailed },
  {
    code: EXIT.suite,
    when: 'all cases were skipped',
    applies: ({ outcomes }) => outcomes.length > 0 && !outcomes.some(isGraded),
  },
  {
    code: EXIT.suite,
    when: 'fallbacks answered every graded case',
    applies: ({ outcomes }) => {
      const graded = outcomes.filter(isGraded)
      return graded.length > 0 && graded.every(({ answered_by_provider_id: answeredBy }) => answeredBy !== undefined)
    },
  },
  {
    code: EXIT.failed,
    when: 'a case failed, or passed although it was expected to fail',
    applies: ({ outcomes }) => outcomes.some(({ status }) => status === 'fail' || status === 'xpass'),
  },
  { code: EXIT.failed, when: 'a case of the baseline newly fails', applies: ({ newlyFailing }) => newlyFailing > 0 },
]

/** The exit code of a run and the reason for it; null: nothing is wrong. */
export const exitOf = (facts: ExitFacts): { readonly code: number; readonly reason: string | null } => {
  const row = EXIT_TABLE.find(({ applies }) => applies(facts))
  return row === undefined ? { code: EXIT.clean, reason: null } : { code: row.code, reason: row.when }
}
