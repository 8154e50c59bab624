import { describe, expect, it } from 'vitest'
import { ProviderFailure, type ProviderResponse } from '../../../engine/providers/provider.ts'
import { FailedCall, callWithRetries, createRateLimiter } from '../../../engine/providers/retries.ts'
import { manualClock } from '../../support/vendors/engine-ports.ts'

const RETRIES = { max: 2, initial_ms: 500, max_ms: 800, jitter: false, retry_after_max_ms: 60_000 }
const RESPONSE: ProviderResponse = { output: 'ok', tool_calls: [] }
const NEVER = new AbortController().signal
const LONG_MS = 1e9

const busy = (retryAfterMs: number | null = null) =>
  new ProviderFailure('HTTP 429: busy', {
    errorClass: 'provider_rate_limit',
    retriable: true,
    retryAfterMs,
    details: { a: 1 },
  })
const broken = () => new ProviderFailure('HTTP 400: bad', { errorClass: 'provider_request' })

/** Calls with scripted failures, each taking `tookMs`; then a response. */
const call = async (
  failures: readonly Error[],
  { retries = RETRIES, random = 0.5, tookMs = 10, signal = NEVER } = {},
) => {
  const clock = manualClock(LONG_MS)
  let sent = 0
  const send = () => {
    clock.advance(tookMs)
    const failure = failures[sent++]
    return failure === undefined ? Promise.resolve(RESPONSE) : Promise.reject(failure)
  }
  const result = await callWithRetries({ send }, retries, { ...clock, random: () => random }, signal).catch(
    (error: unknown) => error,
  )
  return { result, sent, slept: clock.slept }
}

describe('callWithRetries', () => {
  it('returns the response of the first attempt', async () =>
    expect(await call([])).toEqual({ result: { response: RESPONSE, attempts: 1, latency_ms: 10 }, sent: 1, slept: [] }))

  it('tries again after a retriable failure; latency excludes the waits', async () => {
    const { result, slept } = await call([busy(), busy()])
    expect(result).toEqual({ response: RESPONSE, attempts: 3, latency_ms: 30 })
    expect(slept).toEqual([500, 800])
  })

  it('gives up after the last attempt', async () => {
    const { result, sent } = await call([busy(), busy(), busy()])
    expect(sent).toBe(3)
    expect(result).toBeInstanceOf(FailedCall)
    expect(result).toMatchObject({
      message: 'provider error after 3 attempt(s): HTTP 429: busy',
      attempts: 3,
      errorClass: 'provider_rate_limit',
      details: { a: 1 },
    })
    expect((await call([busy()], { retries: { ...RETRIES, max: 0 } })).result).toMatchObject({
      message: 'provider error after 1 attempt(s): HTTP 429: busy',
    })
  })

  it('tries once where the failure is final', async () => {
    const { result, sent } = await call([broken()])
    expect(sent).toBe(1)
    expect(result).toMatchObject({ message: 'provider error: HTTP 400: bad', attempts: 1 })
    expect((await call([busy(), broken()])).result).toMatchObject({
      message: 'provider error: HTTP 400: bad',
      attempts: 2,
    })
  })

  it('waits from 1 ms up to the whole time with jitter', async () => {
    const retries = { ...RETRIES, jitter: true }
    expect((await call([busy()], { retries, random: 0 })).slept).toEqual([1])
    expect((await call([busy()], { retries, random: 0.9999 })).slept).toEqual([500])
  })

  it('waits exactly as long as Retry-After asks, without jitter and bound', async () => {
    expect((await call([busy(7000)], { retries: { ...RETRIES, jitter: true } })).slept).toEqual([7000])
    expect((await call([busy(0)])).slept).toEqual([0])
    expect((await call([busy(60_000)])).slept).toEqual([60_000])
  })

  it('gives up at once where Retry-After asks for too long a wait', async () => {
    const { result, sent } = await call([busy(60_001)])
    expect(sent).toBe(1)
    expect(result).toMatchObject({
      message: 'provider error: HTTP 429: busy',
      errorClass: 'provider_rate_limit',
      attempts: 1,
    })
  })

  it('throws what is no failure of the provider unchanged', async () => {
    const bug = new TypeError('bug')
    expect((await call([bug])).result).toBe(bug)
  })

  it('ends a wait when the run ends', async () => {
    const clock = manualClock()
    const run = new AbortController()
    const reason = new Error('stopped')
    const done = callWithRetries(
      { send: () => Promise.reject(busy()) },
      RETRIES,
      { ...clock, random: () => 0 },
      run.signal,
    )
    const failed = expect(done).rejects.toBe(reason)
    await expect.poll(() => clock.slept).toEqual([500])
    run.abort(reason)
    await failed
  })
})

describe('createRateLimiter', () => {
  it('starts at most so many calls in a second, evenly', async () => {
    const clock = manualClock()
    const limiter = createRateLimiter(4, clock)
    const started: number[] = []
    const all = Promise.all(
      Array.from({ length: 5 }, async () => {
        await limiter(NEVER)
        started.push(clock.monotonic())
      }),
    )
    for (let step = 0; step < 4; step++) {
      await expect.poll(() => started.length).toBe(step + 1)
      clock.advance(250)
    }
    await all
    expect(started).toEqual([0, 250, 500, 750, 1000])
  })

  it('saves up nothing while no call is made', async () => {
    const clock = manualClock()
    const limiter = createRateLimiter(1, clock)
    await limiter(NEVER)
    clock.advance(10_000)
    await limiter(NEVER)
    const third = limiter(NEVER)
    await expect.poll(() => clock.slept).toEqual([1000])
    clock.advance(1000)
    await third
  })

  it('gives the place of a call that stops waiting to the next one', async () => {
    const clock = manualClock()
    const limiter = createRateLimiter(1, clock)
    await limiter(NEVER)
    const stops = [new AbortController(), new AbortController(), new AbortController()]
    const waiting = Promise.allSettled(stops.map(({ signal }) => limiter(signal)))
    const last = limiter(NEVER)
    await expect.poll(() => clock.slept.length).toBe(1)
    for (const stop of stops) stop.abort()
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await expect.poll(() => clock.slept).toEqual([1000, 1000])
    clock.advance(1000)
    await last
    expect(clock.monotonic()).toBe(1000)
  })

  it('limits each attempt', async () => {
    const clock = manualClock(LONG_MS)
    const limiter = createRateLimiter(1, clock)
    const send = () => Promise.reject(busy(0))
    await callWithRetries({ send }, RETRIES, { ...clock, random: () => 0 }, NEVER, limiter).catch(() => {})
    expect(clock.slept).toEqual([0, 1000, 0, 1000])
  })
})
