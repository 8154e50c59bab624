import { describe, expect, it } from 'vitest'
import {
  compareEvents,
  firstOtherTool,
  placeAfter,
  type Compared,
  type ComparedSide,
} from '../../../../webapp/components/diff/compare-events.ts'

const listed = (signatures: string): Compared[] => [...signatures].map((signature, i) => ({ n: i + 1, signature }))
const compare = (base: string, head: string) => compareEvents(listed(base), listed(head))

describe('two transcripts', () => {
  it('are in stretches of the same events and of those that only one has', () => {
    expect(compare('abcdef', 'abXdefY')).toEqual([
      { kind: 'same', base: 1, head: 1, count: 2 },
      { kind: 'differs', base: [3], head: [3] },
      { kind: 'same', base: 4, head: 4, count: 3 },
      { kind: 'differs', base: [], head: [7] },
    ])
  })

  it.each([
    ['', '', []],
    ['a', '', [{ kind: 'differs', base: [1], head: [] }]],
    ['', 'ab', [{ kind: 'differs', base: [], head: [1, 2] }]],
    ['aaa', 'aaa', [{ kind: 'same', base: 1, head: 1, count: 3 }]],
  ])('of %j and %j are compared whole', (base, head, wanted) => expect(compare(base, head)).toEqual(wanted))

  it('of fifty thousand events each are compared, and every event is in one stretch', () => {
    const long = (seed: number): Compared[] =>
      Array.from({ length: 50_000 }, (_, i) => ({ n: i + 1, signature: String(i % seed === 0 ? -i * seed : i % 997) }))
    const stretches = compareEvents(long(101), long(103))
    const count = (side: 'base' | 'head'): number =>
      stretches.reduce((sum, stretch) => sum + (stretch.kind === 'same' ? stretch.count : stretch[side].length), 0)
    expect([count('base'), count('head')]).toEqual([50_000, 50_000])
  })
})

describe('the first tool call that differs', () => {
  /** Events of a side: `t` is a call of a tool. */
  const side = (kinds: string): ComparedSide => ({
    events: new Map([...kinds].map((kind, i) => [i + 1, { signature: '', words: '', isTool: kind === 't' }])),
    isCut: false,
  })
  const [base, head] = [side('mtmtm'), side('mtmmt')]
  it.each([
    ['on both sides', { base: [3, 4], head: [4, 5] }, { base: 4, head: 5 }],
    ['on one side', { base: [3], head: [4, 5] }, { base: null, head: 5 }],
  ])('is named %s, after texts that differ', (_where, calls, wanted) => {
    const stretches = [
      { kind: 'differs', base: [1], head: [1] },
      { kind: 'same', base: 2, head: 2, count: 1 },
      { kind: 'differs', ...calls },
    ] as const
    expect(firstOtherTool({ stretches, base, head })).toEqual(wanted)
  })

  it('is none if all calls are the same', () =>
    expect(firstOtherTool({ stretches: [{ kind: 'differs', base: [1, 3], head: [1] }], base, head })).toBeNull())
})

describe('the place of a difference', () => {
  it.each([
    ['abc', 'aXc', { n: 2, isBefore: false }],
    ['abc', 'aXbc', { n: 2, isBefore: true }],
    ['abc', 'Xabc', { n: 1, isBefore: true }],
    ['abc', 'abcX', null],
  ])('of %j and %j is in the first', (base, head, wanted) => {
    const stretches = compare(base, head)
    const first = stretches.findIndex(({ kind }) => kind === 'differs')
    expect(placeAfter(stretches, first)).toEqual(wanted)
  })
})
