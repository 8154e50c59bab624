import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { openCacheBody, readCacheBody } from '../../../domain/cache/body.ts'
import { parseExact } from '../../../domain/run/canonical-json.ts'
import { CacheUnavailable } from '../../../engine/cache/client.ts'
import { createCallCache } from '../../../engine/cache/create-call-cache.ts'
import type { StoredGrading, StoredResponse } from '../../../engine/cache/call-cache.ts'
import type { Json } from '../../../engine/json.ts'
import { memoryParts } from '../../support/engine/memory-parts.ts'
import { memoryCache } from '../../support/engine/memory-cache.ts'

const KEY = `sha256:${'a'.repeat(64)}`
const REQUEST = { transport: 'http', method: 'POST', path: '/v1/messages', body: { model: 'm-small' } }
const RESPONSE: StoredResponse = {
  output: 'Yes, 30 days.',
  usage: { input_tokens: 10, output_tokens: 5, cache_read_tokens: 2 },
  cost_usd: 0.25,
  model: 'm-small-2',
  stop_reason: 'end_turn',
  reasoning: 'thought',
  tool_calls: [{ id: 'c1', name: 'find', arguments: { z: 1, a: [null] } }],
  empty_reason: 'tool_use_only',
  raw: { id: 'r1' },
  attempts: 2,
  provider_latency_ms: 812,
  address: 'https://api.example.test',
  program_digest: 'blake3:00',
}
const { signal } = new AbortController()

let memory: ReturnType<typeof memoryCache>
beforeEach(() => void (memory = memoryCache()))
const cache = () =>
  createCallCache({ client: memory.client, now: () => Date.UTC(2026, 7, 2), version: '0.1.0', parts: memoryParts() })
const stored = (body: unknown) => memory.entries.set(KEY, Buffer.from(JSON.stringify(body)))
const replayed = async (response: StoredResponse, request: Readonly<Record<string, Json>> = REQUEST) => {
  await cache().writeResponse(KEY, request, response, signal)
  return cache().readResponse(KEY, signal)
}

describe('the entry of a provider call', () => {
  it('is the object that all engines share', async () => {
    await cache().writeResponse(KEY, REQUEST, RESPONSE, signal)
    expect(memory.jsonOf(KEY)).toEqual({
      created_at: '2026-08-02T00:00:00.000Z',
      service_version: '0.1.0',
      kind: 'provider',
      request: REQUEST,
      ...RESPONSE,
    })
    expect(readCacheBody(memory.entries.get(KEY)!)).toMatchObject({ status: 'parsed', kind: 'provider' })
  })
  it('replays the whole response', async () => expect(await replayed(RESPONSE)).toEqual(RESPONSE))
  it('keeps the order of keys in an output', async () =>
    expect(JSON.stringify((await replayed({ ...RESPONSE, output: { b: 1, a: 2 } }))?.output)).toBe('{"b":1,"a":2}'))

  it.each(['9007199254740993', '-0', '1e400', '[0.1234567890123456789]', '{"a": 12345678901234567890}', '[1,-0.0]'])(
    'keeps the number %s as it was written',
    async (text) => {
      const output = parseExact(text) as Json
      expect(JSON.stringify((await replayed({ ...RESPONSE, output }))?.output)).toBe(JSON.stringify(output))
    },
  )

  it('writes an absent output as null', async () => {
    const { output: _, ...silent } = RESPONSE
    expect(await replayed(silent)).toEqual(silent)
    expect(memory.jsonOf(KEY)).toMatchObject({ output: null })
  })
  it('replays any response', () =>
    fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 2 }), fc.string({ unit: 'binary' }), async (output, reasoning) => {
        memory = memoryCache()
        const text = JSON.stringify(output)
        const read = await replayed({ ...RESPONSE, output: parseExact(text) as Json, reasoning })
        expect(JSON.stringify(read?.output ?? null)).toBe(text)
        expect(read?.reasoning).toBe(reasoning)
      }),
      { numRuns: 40 },
    ))

  it('has no raw of more than 64 KiB', async () => {
    expect(await replayed({ ...RESPONSE, raw: 'x'.repeat(65_534) })).toHaveProperty('raw')
    memory = memoryCache()
    expect(await replayed({ ...RESPONSE, raw: 'x'.repeat(65_535) })).not.toHaveProperty('raw')
  })
  it('has only the address of a request of more than 64 KiB', async () => {
    const large = { ...REQUEST, url: 'https://bot.test', body: 'é'.repeat(33_000) }
    await replayed(RESPONSE, large)
    expect(memory.jsonOf(KEY)).toMatchObject({
      request: { transport: 'http', method: 'POST', url: 'https://bot.test' },
    })
    expect(memory.jsonOf(KEY)).not.toHaveProperty('request.body')
  })

  it('of another engine is read', async () => {
    stored({ created_at: '2025-01-01T00:00:00+02:00', service_version: '9', output: 'hi', unknown: 1, usage: null })
    expect(await cache().readResponse(KEY, signal)).toEqual({
      output: 'hi',
      tool_calls: [],
      attempts: 1,
      provider_latency_ms: 0,
    })
  })
  it('that is missing is null', async () => expect(await cache().readResponse(KEY, signal)).toBeNull())

  it.each([
    ['not JSON', '{"output":'],
    ['not an object', '[]'],
    ['without its creation time', '{"output":1}'],
    ['with a field of another type', '{"created_at":"2026-01-01T00:00:00Z","output":1,"model":7}'],
    ['nested too deep', `{"created_at":"2026-01-01T00:00:00Z","output":${'['.repeat(5000)}${']'.repeat(5000)}}`],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('that is %s is unavailable', async (_, bytes) => {
    memory.entries.set(KEY, Buffer.from(bytes))
    await expect(cache().readResponse(KEY, signal)).rejects.toThrow(CacheUnavailable)
    await expect(cache().readResponse(KEY, signal)).rejects.toThrow(KEY)
  })
})

describe('the entry of a grading call', () => {
  const JUDGED: StoredGrading = {
    kind: 'judge',
    output: 'It names the window.',
    raw: { content: 'x'.repeat(100_000) },
    usage: { input_tokens: 1, output_tokens: 2 },
    cost_usd: 0.5,
    model: 'm-judge',
  }
  const read = () => cache().readGrading(KEY, signal)

  it('is replayed with the whole response of the judge', async () => {
    await cache().writeGrading(KEY, REQUEST, JUDGED, signal)
    const { kind, ...others } = JUDGED
    expect(await read()).toEqual(others)
    expect(memory.jsonOf(KEY)).toMatchObject({ kind, request: REQUEST, service_version: '0.1.0' })
  })
  it('of an embedding is known as one', async () => {
    await cache().writeGrading(KEY, REQUEST, { kind: 'embedding', output: { dims: 2 }, raw: [0, 1] }, signal)
    expect(openCacheBody(memory.entries.get(KEY)!).body).toMatchObject({ kind: 'embedding', output: { dims: 2 } })
  })
  it('of an old engine has a verdict', async () => {
    const verdict = { kind: 'rubric', score: 0.5, pass: true }
    stored({ created_at: '2025-01-01T00:00:00Z', output: 'old', verdict })
    expect(await read()).toEqual({ output: 'old', raw: null, verdict })
  })
  it('that is missing is null', async () => expect(await read()).toBeNull())
})
