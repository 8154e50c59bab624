import { describe, expect, it } from 'vitest'
import { authored, statusOf, tally } from '../../../../webapp/pages/case/assertion.ts'

describe('an assertion as authored', () => {
  it('is its kind and its fields in their order', () =>
    expect(authored({ kind: 'similar', criteria: { type: 'similar', value: 'x', threshold: 0.8 } })).toEqual({
      kind: 'similar',
      fields: [
        ['value', 'x'],
        ['threshold', 0.8],
      ],
    }))
  it('says when it is negated', () =>
    expect(authored({ kind: 'contains', criteria: { type: 'contains', value: 'x', negate: true } })).toEqual({
      kind: 'not-contains',
      fields: [['value', 'x']],
    }))
  it('may have been left out, or be no object', () => {
    expect(authored({ kind: 'exec' })).toEqual({ kind: 'exec', fields: [] })
    expect(authored({ kind: 'exec', criteria: 'hidden' })).toEqual({ kind: 'exec', fields: [['criteria', 'hidden']] })
  })
})

it('an assertion that was skipped reads like a case that was', () =>
  expect([statusOf({ status: 'skipped' }), statusOf({ status: 'error' })]).toEqual(['skip', 'error']))
it('assertions are counted, those left out apart', () => {
  expect(tally([{ status: 'pass' }, { status: 'fail' }])).toBe('1 of 2 passed')
  expect(tally([{ status: 'pass' }, { status: 'skipped' }])).toBe('1 of 2 passed, 1 not evaluated')
})
