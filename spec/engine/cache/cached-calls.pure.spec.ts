import { beforeEach, describe, expect, it } from 'vitest'
import { CacheMiss, cachedCalls } from '../../../engine/cache/cached-calls.ts'
import type { CachedGradingCall, CachedProviderCall } from '../../../engine/cache/cached-calls.ts'
import type { StoredResponse } from '../../../engine/cache/call-cache.ts'
import { createCallCache } from '../../../engine/cache/create-call-cache.ts'
import { ProviderFailure } from '../../../engine/providers/provider.ts'
import { memoryParts } from '../../support/engine/memory-parts.ts'
import { memoryCache } from '../../support/engine/memory-cache.ts'

const KEY = `sha256:${'a'.repeat(64)}`
const { signal } = new AbortController()

let memory: ReturnType<typeof memoryCache>
let warnings: string[]
let sent: number
beforeEach(() => {
  memory = memoryCache()
  warnings = []
  sent = 0
})

const callsOfARun = () =>
  cachedCalls(
    createCallCache({ client: memory.client, now: () => 0, version: '0.1.0', parts: memoryParts() }),
    (message) => void warnings.push(message),
  )
const RESPONSE: StoredResponse = { output: 'Yes', tool_calls: [], attempts: 1, provider_latency_ms: 5 }
const call = (more: Partial<CachedProviderCall> = {}): CachedProviderCall => ({
  key: KEY,
  request: { transport: 'http' },
  mode: 'normal',
  providerId: 'bot',
  address: null,
  programDigest: async () => null,
  send: async () => {
    sent++
    return RESPONSE
  },
  isStored: () => true,
  ...more,
})

describe('a provider call', () => {
  it('is sent once and then replayed', async () => {
    expect(await callsOfARun().respond(call(), signal)).toEqual({ result: RESPONSE, cached: false, key: KEY })
    expect(await callsOfARun().respond(call(), signal)).toEqual({ result: RESPONSE, cached: true, key: KEY })
    expect(sent).toBe(1)
    expect(warnings).toEqual([])
  })
  it('without the cache neither reads nor writes it', async () => {
    const run = callsOfARun()
    for (const uncached of [call({ mode: 'off' }), call({ key: null })])
      expect(await run.respond(uncached, signal)).toEqual({ result: RESPONSE, cached: false, key: null })
    expect(sent).toBe(2)
    expect(run.sent.size).toBe(0)
    expect(memory.state).toMatchObject({ reads: 0, writes: 0 })
  })
  it.each([KEY, null])('that only the cache may answer is never sent (key %s)', async (key) => {
    await expect(callsOfARun().respond(call({ mode: 'only', key }), signal)).rejects.toMatchObject({
      errorClass: 'cache_miss',
    })
    expect(sent).toBe(0)
  })
  it('that only the cache may answer is replayed', async () => {
    await callsOfARun().respond(call(), signal)
    expect(await callsOfARun().respond(call({ mode: 'only' }), signal)).toMatchObject({ cached: true })
  })
  it('that fails is not stored', async () => {
    const failure = new ProviderFailure('no', { errorClass: 'provider_auth' })
    await expect(callsOfARun().respond(call({ send: () => Promise.reject(failure) }), signal)).rejects.toBe(failure)
    expect(memory.state.writes).toBe(0)
  })
  it('is not stored against the policy', async () => {
    await callsOfARun().respond(call({ isStored: () => false }), signal)
    expect(memory.state.writes).toBe(0)
  })
  it('of an API is sent again if its entry is an answer that ended with an error; one of a program is replayed', async () => {
    const send = async () => ({ ...RESPONSE, output: 'Y', stop_reason: 'error' })
    await callsOfARun().respond(call({ send }), signal)
    expect(await callsOfARun().respond(call({ address: 'http://a.test' }), signal)).toMatchObject({
      result: { output: 'Yes' },
      cached: false,
    })
    await expect(callsOfARun().respond(call({ address: 'http://a.test', mode: 'only' }), signal)).rejects.toMatchObject(
      { errorClass: 'cache_miss' },
    )
    expect(await callsOfARun().respond(call(), signal)).toMatchObject({ result: { output: 'Y' }, cached: true })
  })

  it('is not sent if the cache cannot be read', async () => {
    memory.state.failReads = true
    await expect(callsOfARun().respond(call(), signal)).rejects.toMatchObject({
      errorClass: 'cache_unavailable',
      retriable: false,
    })
    expect(sent).toBe(0)
  })
  it('is not sent if its entry is damaged', async () => {
    memory.entries.set(KEY, Buffer.from('{'))
    await expect(callsOfARun().respond(call(), signal)).rejects.toMatchObject({ errorClass: 'cache_unavailable' })
  })
  it('counts although it cannot be stored, with one warning', async () => {
    memory.state.failWrites = true
    const run = callsOfARun()
    expect(await run.respond(call(), signal)).toMatchObject({ cached: false })
    expect(await run.respond(call(), signal)).toMatchObject({ cached: false })
    expect(warnings).toEqual(['responses are not stored in the cache: the disk is full'])
  })
})

describe('equal provider calls at the same time', () => {
  it('are sent once, and the others are read from the cache', async () => {
    const run = callsOfARun()
    const results = await Promise.all(Array.from({ length: 9 }, () => run.respond(call(), signal)))
    expect(sent).toBe(1)
    expect(results.map(({ cached }) => cached)).toEqual([false, ...Array.from({ length: 8 }, () => true)])
    expect(memory.state.writes).toBe(1)
  })
  it('are all sent if the first one fails', async () => {
    const run = callsOfARun()
    const send = async () => {
      if (++sent === 1) throw new ProviderFailure('no', { errorClass: 'provider_timeout' })
      return RESPONSE
    }
    const results = await Promise.allSettled([1, 2, 3].map(() => run.respond(call({ send }), signal)))
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(sent).toBe(3)
  })
  it('are all sent if the response is not stored', async () => {
    const run = callsOfARun()
    await Promise.all([1, 2, 3].map(() => run.respond(call({ isStored: () => false }), signal)))
    expect(sent).toBe(3)
  })
  it('are sent once also after an earlier one that failed', async () => {
    const run = callsOfARun()
    const failure = new ProviderFailure('no', { errorClass: 'provider_timeout' })
    await expect(run.respond(call({ send: () => Promise.reject(failure) }), signal)).rejects.toBe(failure)
    await Promise.all([1, 2, 3].map(() => run.respond(call(), signal)))
    expect(sent).toBe(1)
  })
  it('stop waiting when they are aborted', async () => {
    const run = callsOfARun()
    const { promise, resolve } = Promise.withResolvers<StoredResponse>()
    const first = run.respond(call({ send: () => promise }), signal)
    const stop = new AbortController()
    const second = run.respond(call(), stop.signal)
    stop.abort(new Error('stopped'))
    await expect(second).rejects.toThrow('stopped')
    resolve(RESPONSE)
    expect(await first).toMatchObject({ cached: false })
    expect(sent).toBe(0)
  })
})

describe('a warning about a hit', () => {
  const storedAt = (more: Partial<StoredResponse>) =>
    callsOfARun().respond(call({ send: async () => ({ ...RESPONSE, ...more }) }), signal)

  it('names a changed address, once for each provider', async () => {
    await storedAt({ address: 'https://a.test' })
    const run = callsOfARun()
    for (const providerId of ['bot', 'bot', 'other'])
      await run.respond(call({ address: 'https://b.test', providerId }), signal)
    expect(warnings.map((text) => text.split(':')[0])).toEqual(['provider bot', 'provider other'])
    expect(warnings[0]).toContain('https://a.test')
  })
  it('names a changed program, once for each provider', async () => {
    await storedAt({ program_digest: 'blake3:1' })
    const run = callsOfARun()
    await run.respond(call({ programDigest: async () => 'blake3:2' }), signal)
    await run.respond(call({ programDigest: async () => 'blake3:2' }), signal)
    expect(warnings).toEqual([expect.stringContaining('another version of the program')])
  })
  it('does not compare the query of an address', async () => {
    await storedAt({ address: 'https://a.test/x?version=1' })
    await callsOfARun().respond(call({ address: 'https://a.test/x' }), signal)
    expect(warnings).toEqual([])
  })
  it('is not given if nothing changed', async () => {
    await storedAt({ address: 'https://a.test', program_digest: 'blake3:1' })
    await callsOfARun().respond(call({ address: 'https://a.test', programDigest: async () => 'blake3:1' }), signal)
    expect(warnings).toEqual([])
  })
  it('names an entry that today would not be stored, once', async () => {
    await storedAt({})
    const run = callsOfARun()
    expect(await run.respond(call({ isStored: () => false }), signal)).toMatchObject({ cached: true })
    await run.respond(call({ isStored: () => false }), signal)
    expect(warnings).toEqual([expect.stringContaining('cache.store_empty_outputs')])
  })
})

describe('a grading call', () => {
  const grading = (more: Partial<CachedGradingCall<string>> = {}): CachedGradingCall<string> => ({
    key: KEY,
    request: { transport: 'http' },
    mode: 'normal',
    read: ({ raw }) => {
      if (typeof raw !== 'string') throw new Error('it has no verdict')
      return raw
    },
    send: async () => {
      sent++
      return { result: 'good', stored: { kind: 'judge', output: '', raw: 'good' } }
    },
    ...more,
  })

  it('is sent once and then read again', async () => {
    expect(await callsOfARun().grade(grading(), signal)).toEqual({ result: 'good', cached: false, key: KEY })
    expect(await callsOfARun().grade(grading(), signal)).toEqual({ result: 'good', cached: true, key: KEY })
    expect(sent).toBe(1)
  })
  it('is sent once for equal calls at the same time', async () => {
    const run = callsOfARun()
    const results = await Promise.all([1, 2, 3].map(() => run.grade(grading(), signal)))
    expect(results.map(({ cached }) => cached)).toEqual([false, true, true])
    expect(run.sent).toEqual(new Map([[KEY, 1]]))
  })
  it('is sent, with a warning, if the cache cannot be read', async () => {
    memory.state.failReads = true
    expect(await callsOfARun().grade(grading(), signal)).toMatchObject({ cached: false })
    expect(warnings).toEqual(['a grading call is repeated: the disk cannot be read'])
  })
  it.each([
    ['damaged', '{'],
    ['of no use', '{"created_at":"2026-01-01T00:00:00Z","output":"","raw":7}'],
  ])('is sent, with a warning, if its entry is %s', async (_, text) => {
    memory.entries.set(KEY, Buffer.from(text))
    expect(await callsOfARun().grade(grading(), signal)).toMatchObject({ cached: false })
    expect(warnings).toHaveLength(1)
  })
  it('that only the cache may answer is never sent', async () => {
    await expect(callsOfARun().grade(grading({ mode: 'only' }), signal)).rejects.toThrow(CacheMiss)
    memory.entries.set(KEY, Buffer.from('{'))
    await expect(callsOfARun().grade(grading({ mode: 'only' }), signal)).rejects.toThrow(CacheMiss)
    expect(sent).toBe(0)
  })
  it('without the cache neither reads nor writes it', async () => {
    const run = callsOfARun()
    expect(await run.grade(grading({ mode: 'off' }), signal)).toMatchObject({ cached: false, key: null })
    expect(run.sent.size).toBe(0)
    expect(memory.state).toMatchObject({ reads: 0, writes: 0 })
  })
})
