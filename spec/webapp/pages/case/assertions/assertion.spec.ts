import { assertionName } from '../../../../../domain/lists/assertion-name.ts'
import { describe, expect, it } from 'vitest'
import {
  agreement,
  fieldsBeyond,
  inOrder,
  GAUGE,
  scoreGauge,
  scoreText,
  assertionStatus,
  tally,
  assertionThreshold,
} from '../../../../../webapp/pages/case/assertions/assertion.ts'

const rubric = (criteria: unknown) => ({ kind: 'llm-rubric', criteria }) as const

describe('the name of an assertion', () => {
  it('is its name or metric, then its judge', () => {
    expect(assertionName(rubric({ judge: 'o3-mini', metric: 'accuracy' }))).toMatchObject({
      title: 'accuracy',
      detail: 'o3-mini',
    })
    expect(assertionName(rubric({ name: 'tone', metric: 'accuracy' }))).toMatchObject({ title: 'tone', detail: null })
    expect(assertionName({ kind: 'exec', criteria: { check: 'lint clean' } }).title).toBe('lint clean')
  })
  it('is the kind if nothing else names it, with what is asserted', () => {
    expect(assertionName({ kind: 'contains', criteria: { type: 'contains', value: 'x', negate: true } })).toMatchObject(
      {
        title: 'not-contains',
        detail: 'x',
      },
    )
    expect(assertionName(rubric({ judge: 'o3-mini' }))).toMatchObject({ title: 'llm-rubric', detail: 'o3-mini' })
    expect(assertionName({ kind: 'exec' })).toMatchObject({ title: 'exec', detail: null })
    expect(assertionName({ kind: 'exec', criteria: 'hidden' }).title).toBe('exec')
    expect(assertionName(rubric({ name: 7, metric: ' ' })).title).toBe('llm-rubric')
  })
  it('may be recorded with its details', () =>
    expect(assertionName({ kind: 'exec', details: { metric: 'coverage', judge: 'j' } })).toMatchObject({
      title: 'coverage',
      detail: 'j',
    }))
})

describe('the definition of an assertion', () => {
  it('contains the fields that are not shown elsewhere, in their order', () =>
    expect(fieldsBeyond({ criteria: { type: 'similar', value: 'x', threshold: 0.8 } }, ['type'])).toEqual([
      ['value', 'x'],
      ['threshold', 0.8],
    ]))
  it('may be missing or not an object', () => {
    expect(fieldsBeyond({}, [])).toEqual([])
    expect(fieldsBeyond({ criteria: null }, [])).toEqual([])
    expect(fieldsBeyond({ criteria: 'hidden' }, [])).toEqual([['criteria', 'hidden']])
  })
})

describe('a score', () => {
  it('has a third decimal where two would read as the threshold that it missed', () => {
    expect(scoreText(0.798, 0.8)).toBe('0.798')
    expect(scoreText(0.7, 0.8)).toBe('0.70')
    expect(scoreText(0.8, 0.8)).toBe('0.80')
    expect(scoreText(0.798, null)).toBe('0.80')
  })
  it('has no threshold if the definition limits dollars, time or tokens', () => {
    expect(assertionThreshold(rubric({ threshold: 0.8 }))).toBe(0.8)
    expect(assertionThreshold({ kind: 'latency', criteria: { threshold: 3000 } })).toBeNull()
    expect(assertionThreshold(rubric({ threshold: '0.8' }))).toBeNull()
  })
})

describe('the bar of a score', () => {
  it('is as long as the score, with a mark at what it needs', () => {
    expect(scoreGauge({ status: 'fail', score: 0.5 }, 0.75)).toEqual({ score: GAUGE / 2, mark: (GAUGE * 3) / 4 })
    expect(scoreGauge({ status: 'pass', score: 1 }, 0.5)).toEqual({ score: GAUGE, mark: GAUGE / 2 })
    expect(scoreGauge({ status: 'pass', score: 0.25 }, null)).toEqual({ score: GAUGE / 4, mark: null })
  })
  it('never leaves its track', () =>
    expect(scoreGauge({ status: 'pass', score: 7 }, -1)).toEqual({ score: GAUGE, mark: 0 }))
  it('is missing where the score says no more than the verdict', () => {
    expect(scoreGauge({ status: 'fail', score: 0 }, null)).toBeNull()
    expect(scoreGauge({ status: 'pass', score: 1 }, null)).toBeNull()
    expect(scoreGauge({ status: 'skipped', score: 0.5 }, 0.5)).toBeNull()
  })
})

it('inOrder puts failing assertions first and skipped ones last, and keeps their order otherwise', () =>
  expect(
    inOrder([
      { status: 'pass', n: 1 },
      { status: 'skipped', n: 2 },
      { status: 'fail', n: 3 },
      { status: 'pass', n: 4 },
      { status: 'error', n: 5 },
    ] as const).map(({ n }) => n),
  ).toEqual([3, 5, 1, 4, 2]))

it('statusOf maps a skipped assertion to skip', () =>
  expect([assertionStatus({ status: 'skipped' }), assertionStatus({ status: 'error' })]).toEqual(['skip', 'error']))

it('tally counts failed, else passed, and skipped assertions', () => {
  expect(tally([{ status: 'pass' }, { status: 'fail' }, { status: 'error' }])).toBe('2 of 3 failed')
  expect(tally([{ status: 'pass' }, { status: 'skipped' }])).toBe('1 of 2 passed, 1 not evaluated')
})

describe('the agreement of judges', () => {
  const judged = (metric: string, judge: string, status: 'pass' | 'fail') => ({ ...rubric({ metric, judge }), status })
  it('names the metrics on which they agree and disagree', () => {
    const both = [
      judged('a', 'x', 'fail'),
      judged('a', 'y', 'fail'),
      judged('b', 'x', 'pass'),
      judged('b', 'y', 'fail'),
    ]
    expect(agreement(both)).toBe('The judges agree on a and disagree on b.')
    expect(agreement(both.slice(0, 2))).toBe('The judges agree on a.')
    expect(agreement(both.slice(2))).toBe('The judges disagree on b.')
  })
  it('is unknown for a single judge', () =>
    expect(agreement([judged('a', 'x', 'fail'), judged('b', 'y', 'pass')])).toBeNull())
})
