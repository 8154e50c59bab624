import { describe, expect, it } from 'vitest'
import { spentBefore } from '../../../../webapp/pages/transcript/spent-before.ts'
import type { OutlineItem } from '../../../../webapp/pages/transcript/use-transcript.ts'

/** Events, numbered from 1. */
const listed = (...events: readonly Partial<OutlineItem>[]): OutlineItem[] =>
  events.map((event, i) => ({
    ...{ n: i + 1, type: 'message', bytes: 1, span: 0, at: null, ms: null, name: null, label: '', message: null },
    ...{ input_tokens: null, output_tokens: null, cost_usd: null, error: false, media: false, signature: '' },
    ...event,
  }))

describe('what was spent before an event', () => {
  const events = listed(
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
