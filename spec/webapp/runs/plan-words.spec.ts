import { describe, expect, it } from 'vitest'
import { planAttempt, planOrder, planOutcomes } from '../../../webapp/runs/plan-words.ts'

const plan = {
  id: 'p',
  registered_at: '2026-05-04T08:00:00Z',
  attempt: 2,
  attempts: 3,
  state: 'before',
  met: null,
  complete: null,
} as const

describe('the plan of a run in words', () => {
  it('says only what the log shows of the order, and how often it was tried', () => {
    expect(planOrder(plan)).toBe('before the upload')
    expect(planAttempt({ ...plan, attempt: 1_002, attempts: 1_003 })).toBe('attempt 1,002 of 1,003')
  })
  it('says that the dates of the run are before the plan', () =>
    expect(planOrder({ ...plan, state: 'late' })).toBe(
      'before the upload, but by its own dates the run began before the plan',
    ))
  it('says nothing about what is not planned', () => expect(planOutcomes(plan)).toEqual([]))
  it('says whether the plan was kept', () => {
    expect(planOutcomes({ ...plan, met: true, complete: true })).toEqual([
      { words: 'threshold met', isBad: false },
      { words: 'all planned cases', isBad: false },
    ])
    expect(planOutcomes({ ...plan, met: false, complete: false })).toEqual([
      { words: 'threshold not met', isBad: true },
      { words: 'not the planned number of cases', isBad: true },
    ])
  })
})
