import { describe, expect, it } from 'vitest'
import { authored, statusOf, tally } from '../../../../webapp/pages/case/assertion.ts'

describe('the definition of an assertion', () => {
  it('contains its kind and its fields in their order', () =>
    expect(authored({ kind: 'similar', criteria: { type: 'similar', value: 'x', threshold: 0.8 } })).toEqual({
      kind: 'similar',
      fields: [
        ['value', 'x'],
        ['threshold', 0.8],
      ],
    }))
  it('marks a negated assertion', () =>
    expect(authored({ kind: 'contains', criteria: { type: 'contains', value: 'x', negate: true } })).toEqual({
      kind: 'not-contains',
      fields: [['value', 'x']],
    }))
  it('may be missing or not an object', () => {
    expect(authored({ kind: 'exec' })).toEqual({ kind: 'exec', fields: [] })
    expect(authored({ kind: 'exec', criteria: 'hidden' })).toEqual({ kind: 'exec', fields: [['criteria', 'hidden']] })
  })
})

it('statusOf maps a skipped assertion to skip', () =>
  expect([statusOf({ status: 'skipped' }), statusOf({ status: 'error' })]).toEqual(['skip', 'error']))
it('tally counts passed and skipped assertions', () => {
  expect(tally([{ status: 'pass' }, { status: 'fail' }])).toBe('1 of 2 passed')
  expect(tally([{ status: 'pass' }, { status: 'skipped' }])).toBe('1 of 2 passed, 1 not evaluated')
})
