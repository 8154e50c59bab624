import { describe, expect, it } from 'vitest'
import { callLine, failureLine } from '../../../domain/run/case-outline.ts'

describe('the line of a tool call', () => {
  it('names the call and its arguments, and counts further calls', () => {
    const flight = { name: 'book_flight', arguments: { from: 'NYC', seats: 2, round: null } }
    expect(callLine([flight])).toBe('book_flight(from: "NYC", seats: 2, round: null)')
    expect(callLine([flight, flight, flight])).toBe('book_flight(from: "NYC", seats: 2, round: null) +2')
    expect(callLine([{ name: 'now', arguments: null }])).toBe('now()')
    expect(callLine([{ name: 'sum', arguments: [1, 2] }])).toBe('sum([1,2])')
    expect(callLine([])).toBeNull()
    expect(callLine(undefined)).toBeNull()
  })

  it('is shortened without losing the number of further calls', () => {
    const long = { name: 'write', arguments: { text: '🎉'.repeat(500) } }
    const line = callLine([long, long]) ?? ''
    expect([...line]).toHaveLength(244)
    expect(line.endsWith('🎉… +1')).toBe(true)
  })
})

describe('the line of a failure', () => {
  const assertion = (status: 'pass' | 'fail' | 'error' | 'skipped', reason: string) =>
    ({ kind: 'contains', status, score: 0, weight: 1, reason, cached: false }) as const
  const line = (...asserts: ReadonlyArray<ReturnType<typeof assertion>>) => failureLine({ asserts })

  it('is the first sentence of the first assertion that failed', () => {
    expect(line(assertion('pass', 'Good.'), assertion('fail', 'The sum is 3. It should be 4.'))).toBe('The sum is 3.')
    expect(line(assertion('fail', ' '), assertion('error', 'timed out'))).toBe('timed out')
    expect(line(assertion('fail', 'version 1.2 is old'))).toBe('version 1.2 is old')
  })

  it('begins with the paragraph that mentions a failure', () =>
    expect(line(assertion('fail', 'A long\npreamble.\n\nThe answer is\n  wrong. More.'))).toBe('The answer is wrong.'))

  it('is missing if nothing failed or gave a reason', () => {
    expect(line(assertion('pass', 'Good.'), assertion('skipped', 'No.'))).toBeNull()
    expect(line(assertion('fail', '\n'))).toBeNull()
  })

  it('is shortened', () => expect([...(line(assertion('fail', 'x'.repeat(1000))) ?? '')]).toHaveLength(241))
})
