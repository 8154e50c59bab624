import { describe, expect, it } from 'vitest'
import { planOutcomes, planWords } from '../../../webapp/runs/plan-words.ts'

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
  it('says that it was registered before the run, and how often it was tried', () =>
    expect(planWords(plan)).toBe('Registered before the run, attempt 2 of 3'))
  it('says that it was registered too late', () =>
    expect(planWords({ ...plan, state: 'late' })).toBe('Registered after the run had started, attempt 2 of 3'))
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
