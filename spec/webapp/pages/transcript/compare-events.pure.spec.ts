import { describe, expect, it } from 'vitest'
import {
  compareEvents,
  firstOtherTool,
  spentBefore,
  type Compared,
} from '../../../../webapp/pages/transcript/compare-events.ts'
import type { OutlineItem } from '../../../../webapp/pages/transcript/use-transcript.ts'

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

/** Events of a side, numbered from 1. */
const side = (...events: readonly Partial<OutlineItem>[]): Map<number, OutlineItem> =>
  new Map(
    events.map((event, i) => [
      i + 1,
      {
        ...{ n: i + 1, type: 'message', bytes: 1, span: 0, at: null, ms: null, name: null, label: '', message: null },
        ...{ input_tokens: null, output_tokens: null, cost_usd: null, error: false, media: false, signature: '' },
        ...event,
      },
    ]),
  )

describe('the first tool call that differs', () => {
  const base = side({}, { type: 'tool' }, {}, { type: 'tool' }, {})
  const head = side({}, { type: 'tool' }, {}, {}, { type: 'tool' })
  it.each([
    ['on both sides', { base: [3, 4], head: [4, 5] }, { base: 4, head: 5 }],
    ['on one side', { base: [3], head: [4, 5] }, { base: null, head: 5 }],
  ])('is named %s, after texts that differ', (_where, calls, wanted) => {
    const stretches = [
      { kind: 'differs', base: [1], head: [1] },
      { kind: 'same', base: 2, head: 2, count: 1 },
      { kind: 'differs', ...calls },
    ] as const
    expect(firstOtherTool(stretches, base, head)).toEqual(wanted)
  })

  it('is none if all calls are the same', () =>
    expect(firstOtherTool([{ kind: 'differs', base: [1, 3], head: [1] }], base, head)).toBeNull())
})

describe('what was spent before an event', () => {
  const events = side(
    { type: 'span', at: 1000, input_tokens: 99, cost_usd: 9 },
    { type: 'model', at: 1500, input_tokens: 10, output_tokens: 2, cost_usd: 0.25 },
    { type: 'tool', at: 4000 },
    { type: 'model', at: 5000, input_tokens: 7 },
  )
  it('is the sum of the events in spans, and the time since the first', () => {
    expect(spentBefore(events, 3)).toEqual({ ms: 3000, input_tokens: 10, output_tokens: 2, cost_usd: 0.25 })
    expect(spentBefore(events, 4)).toMatchObject({ ms: 4000, input_tokens: 10 })
  })

  it('is unknown where no event says it', () =>
    expect(spentBefore(events, 1)).toEqual({ ms: 0, input_tokens: null, output_tokens: null, cost_usd: null }))
})
