import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_ATTEMPTS, TransientError, delayBefore, withRetries } from '../../../cli/client/backoff.ts'

const never = new AbortController().signal

describe('the delay before a retry', () => {
  it('doubles up to eight seconds, half of it random', () => {
    expect([1, 2, 3, 6, 7, 50].map((n) => delayBefore(n, null, () => 0))).toEqual([125, 250, 500, 4000, 4000, 4000])
    expect([1, 2, 3, 6, 7, 50].map((n) => delayBefore(n, null, () => 1))).toEqual([250, 500, 1000, 8000, 8000, 8000])
  })

  it('is at least the requested delay, of which at most a minute counts', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.nat(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, asked, random) => {
          const ms = delayBefore(n, asked, () => random)
          expect(ms).toBeGreaterThanOrEqual(Math.min(asked, 60_000))
          expect(ms).toBeLessThanOrEqual(68_000)
        },
      ),
    )
  })
})

describe('withRetries', () => {
  const flaky = (failures: number, error: Error = new TransientError('busy', { retry_after_ms: 1000 })) => {
    const waits: number[] = []
    let tries = 0
    const attempt = async () => {
      tries += 1
      if (tries <= failures) throw error
      return 'done'
    }
    const run = (signal = never, onWait = () => {}) =>
      withRetries(attempt, {
        signal,
        random: () => 0,
        wait: async (ms) => {
          waits.push(ms)
          onWait()
        },
      })
    return { run, waits, tries: () => tries }
  }

  it('retries until a result', async () => {
    const work = flaky(3)
    await expect(work.run()).resolves.toBe('done')
    expect(work.waits).toEqual([1125, 1250, 1500])
  })

  it('gives up after a bounded number of attempts, with the last error', async () => {
    const work = flaky(Infinity)
    await expect(work.run()).rejects.toThrow('busy')
    expect(work.tries()).toBe(MAX_ATTEMPTS)
  })

  it('does not retry a permanent failure', async () => {
    const work = flaky(Infinity, new Error('refused'))
    await expect(work.run()).rejects.toThrow('refused')
    expect(work.tries()).toBe(1)
  })

  it('ends on an abort during the wait', async () => {
    const controller = new AbortController()
    const work = flaky(Infinity)
    await expect(work.run(controller.signal, () => controller.abort())).rejects.toThrow('busy')
    expect(work.tries()).toBe(1)
  })
})
