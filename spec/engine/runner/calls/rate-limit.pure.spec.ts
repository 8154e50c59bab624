import { describe, expect, it } from 'vitest'
import { rateLimit } from '../../../../engine/runner/calls/rate-limit.ts'
import { manualClock } from '../../../support/vendors/engine-ports.ts'

const { signal } = new AbortController()

describe('the rate limit of a provider', () => {
  it('spaces the starts of its calls, and not those of another provider', async () => {
    const clock = manualClock()
    const limit = rateLimit(4, clock)
    const started: string[] = []
    const call = async (provider: string, name: string) => {
      await limit(provider, signal)
      started.push(name)
    }
    const calls = Promise.all([call('p', 'p1'), call('p', 'p2'), call('p', 'p3'), call('q', 'q1')])
    await Promise.resolve()
    await Promise.resolve()
    expect(started.toSorted()).toEqual(['p1', 'q1'])
    expect(clock.slept).toEqual([250, 500])
    clock.advance(500)
    await calls
    expect(started).toHaveLength(4)
  })

  it('does not save up what was not used', async () => {
    const clock = manualClock()
    const limit = rateLimit(2, clock)
    await limit('p', signal)
    clock.advance(10_000)
    await limit('p', signal)
    const third = limit('p', signal)
    expect(clock.slept).toEqual([500])
    clock.advance(500)
    await third
  })

  it('stops waiting with its signal', async () => {
    const clock = manualClock()
    const limit = rateLimit(1, clock)
    const stop = new AbortController()
    await limit('p', stop.signal)
    const waiting = limit('p', stop.signal)
    stop.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
  })
})
