import { expect, it } from 'vitest'
import { agreementHeading, numberRows } from '../../../../webapp/pages/reviews/agreement-words.ts'
import { namesIn } from '../../../../webapp/pages/reviews/names-in.ts'
import { progressWords, resolveWords } from '../../../../webapp/reviews/review-words.ts'

const coefficient = (lower: number) => ({
  value: { estimate: 0.8, se: 0.05, lower, upper: 0.9, observed: 0.9, expected: 0.5, units: 90 },
  reason: null,
})
const none = { value: null, reason: 'one_category' as const }
const agreement = {
  ...{ kind: 'verdict', items: 90, percent: { estimate: 0.9, lower: 0.85, upper: 0.95 } },
  ...{ ac: coefficient(0.7), alpha: coefficient(0.65), cohen: { kappa: 0.8, se: 0.1, items: 90 } },
  ...{ fleiss: { value: null, reason: 'not_three_people' as const }, pass_share: 0.5, many_passes: false },
  ...{ people: [], preference: null },
}

it('people agree as far as the lower limit of AC1 says', () => {
  expect(agreementHeading(agreement)).toBe('People agree well')
  expect(agreementHeading({ ...agreement, ac: coefficient(0.5) })).toBe('People agree fairly')
  expect(agreementHeading({ ...agreement, ac: coefficient(0.2) })).toBe('People may agree too little')
  expect(agreementHeading({ ...agreement, ac: none, alpha: none })).toBe('All labels are the same')
  expect(agreementHeading({ ...agreement, ac: none, alpha: none, percent: null })).toBe('Not labelled twice')
})

it('a number without a value has its reason, and one without an error no interval', () => {
  const named = (rows = numberRows(agreement)) => new Map(rows.map((row) => [row.name, row]))
  expect(named().get('Fleiss κ')).toMatchObject({ value: null, reason: 'only for three people or more' })
  expect(named().get('Cohen κ')?.value).toEqual({ estimate: 0.8, lower: 0.8 - 0.196, upper: 0.996 })
  const same = named(numberRows({ ...agreement, cohen: { kappa: 1, se: 0, items: 90 } }))
  expect(same.get('Cohen κ')).toMatchObject({ value: null, reason: '1.00, no interval' })
  expect(named(numberRows({ ...agreement, kind: 'score' })).has('Gwet AC2')).toBe(true)
})

it('names are one a line or between commas, each once', () => {
  expect(namesIn(' ann, ben\nann\n\n  cleo ,')).toEqual(['ann', 'ben', 'cleo'])
})

it('the progress of a queue is what its viewer may know of it', () => {
  const counts = { given: 30, started: 4, full: 13, declined: 0, gone: 0, erased: 0, final: null, waiting: null }
  const queue = { items: 20, per_item: 2, closed_at: null, resolve: 'adjudicate' as const }
  const words = (progress: object | null, closed_at: string | null = null) =>
    progressWords({ ...queue, closed_at, progress } as Parameters<typeof progressWords>[0])
  expect(words(null)).toBe('20 cases')
  expect(words(counts)).toBe('30 of 40 labels')
  expect(words({ ...counts, final: 12, waiting: 0 }, '2026-05-05T00:00:00Z')).toBe('12 of 20 cases decided')
  expect(resolveWords({ per_item: 1, resolve: 'adjudicate' })).toBe('one')
  expect(resolveWords({ per_item: 3, resolve: 'majority' })).toContain('the majority decides')
})
