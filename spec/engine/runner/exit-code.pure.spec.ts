import { describe, expect, it } from 'vitest'
import { EXIT_TABLE, exitOf, type CaseOutcome, type ExitFacts } from '../../../engine/runner/exit-code.ts'

const CLEAN: ExitFacts = {
  interrupted: false,
  outcomes: [{ status: 'pass' }],
  shareFailed: false,
  outputFailed: false,
  baselineFailed: false,
  newlyFailing: 0,
}
const code = (facts: Partial<ExitFacts>) => exitOf({ ...CLEAN, ...facts }).code
const errored = (errorClass: string | undefined, more: Partial<CaseOutcome> = {}): CaseOutcome => ({
  status: 'error',
  ...(errorClass !== undefined && { error_class: errorClass }),
  ...more,
})

describe('the exit code of a run', () => {
  it.each<[string, Partial<ExitFacts>, number]>([
    ['nothing is wrong', {}, 0],
    ['nothing ran', { outcomes: [] }, 0],
    ['a case fails as expected', { outcomes: [{ status: 'xfail' }] }, 0],
    ['some cases are skipped', { outcomes: [{ status: 'skip' }, { status: 'pass' }] }, 0],
    ['it is interrupted', { interrupted: true, outcomes: [errored('exec_failed')] }, 130],
    ['an output cannot be written', { outputFailed: true }, 3],
    ['the upload failed', { shareFailed: true }, 3],
    ['a case failed', { outcomes: [{ status: 'pass' }, { status: 'fail' }] }, 1],
    ['a case passed unexpectedly', { outcomes: [{ status: 'xpass' }] }, 1],
    ['a case of the baseline newly fails', { newlyFailing: 1 }, 1],
    ['the baseline cannot be read', { baselineFailed: true, outcomes: [{ status: 'fail' }] }, 2],
    ['all cases are skipped', { outcomes: [{ status: 'skip' }, { status: 'skip' }] }, 2],
    [
      'fallbacks answered every graded case',
      { outcomes: [{ status: 'pass', answered_by_provider_id: 'b' }, { status: 'skip' }] },
      2,
    ],
    [
      'a fallback answered one graded case',
      { outcomes: [{ status: 'pass', answered_by_provider_id: 'b' }, { status: 'pass' }] },
      0,
    ],
    ['a case has an error of the suite', { outcomes: [errored('render_failed'), { status: 'fail' }] }, 2],
    ['a case has an error without a class', { outcomes: [errored(undefined)] }, 3],
    ['a case has an error of an unknown class', { outcomes: [errored('of_a_program')] }, 3],
    [
      'a fault outside of the suite is worse than one of the suite',
      { outcomes: [errored('render_failed'), errored('cache_miss')] },
      3,
    ],
    ['a grading template contradicts its flag', { outcomes: [errored('grader_missing', { harness: true })] }, 3],
  ])('if %s', (_, facts, expected) => {
    expect(code(facts)).toBe(expected)
  })

  it.each([
    ['provider_request', 3],
    ['provider_auth', 3],
    ['provider_rate_limit', 3],
    ['provider_unavailable', 3],
    ['provider_timeout', 3],
    ['provider_protocol', 3],
    ['exec_failed', 3],
    ['cache_miss', 3],
    ['cache_unavailable', 3],
    ['grader_failed', 3],
    ['grader_unavailable', 3],
    ['grader_missing', 2],
    ['checker_failed', 2],
    ['assert_failed', 2],
    ['render_failed', 2],
  ])('for an error of class %s', (errorClass, expected) => {
    expect(code({ outcomes: [errored(errorClass), { status: 'fail' }] })).toBe(expected)
  })

  it('gives the reason of the first row that applies', () => {
    expect(exitOf(CLEAN).reason).toBeNull()
    for (const row of EXIT_TABLE) expect(row.when).not.toBe('')
    expect(exitOf({ ...CLEAN, shareFailed: true, newlyFailing: 2 }).reason).toBe('the upload failed')
  })
})
