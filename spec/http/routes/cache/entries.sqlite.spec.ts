import { gzipSync, deflateSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aBody, cacheKeyOf } from '../../../support/documents/cache-bodies.ts'
import { cacheRequests, errorOf, openCacheApp } from '../../../support/http/cache-requests.ts'
import type { SpecApp } from '../../../support/servers/app.ts'

const KEY = cacheKeyOf('one')
const START = Date.UTC(2026, 4, 4)

let now = START
let spec: SpecApp
beforeEach(async () => {
  now = START
  spec = await openCacheApp(() => now)
})
afterEach(() => spec.close())
const { put, get, stats, list, detail } = cacheRequests(() => spec)
const lastAccess = async (key: string): Promise<string | null> => (await detail(key)).last_access_at

describe('a raw entry', () => {
  it('is returned byte for byte with any content', async () => {
    const bytes = Buffer.from([0, 255, 254, 10, 123])
    const stored = await put(KEY, bytes, { 'content-type': 'text/plain' })
    expect([stored.statusCode, stored.body]).toEqual([201, ''])
    // The second response comes from memory.
    for (const _ of [1, 2]) {
      const found = await get(KEY)
      expect([
        found.statusCode,
        found.headers['content-type'],
        found.headers['content-length'],
        found.headers['x-content-type-options'],
      ]).toEqual([200, 'application/octet-stream', '5', 'nosniff'])
      expect(found.rawPayload.equals(bytes)).toBe(true)
    }
  })

  it('may be empty', async () => {
    expect((await put(KEY, Buffer.alloc(0))).statusCode).toBe(201)
    const found = await get(KEY)
    expect([found.statusCode, found.rawPayload.length]).toEqual([200, 0])
  })

  it('keeps the bytes that were put first', async () => {
    expect((await put(KEY, 'first')).statusCode).toBe(201)
    const second = await put(KEY, 'second')
    expect([second.statusCode, second.body]).toEqual([200, ''])
    expect((await get(KEY)).body).toBe('first')
    expect(await stats()).toMatchObject({ entries: 1, total_bytes: 5 })
  })

  it('is stored once when 50 clients put it concurrently; only one gets 201', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => put(KEY, aBody({ output: `answer ${i}` }))))
    const first = answers.findIndex(({ statusCode }) => statusCode === 201)
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(49)
    expect((await get(KEY)).rawPayload.equals(aBody({ output: `answer ${first}` }))).toBe(true)
    expect(await stats()).toMatchObject({ entries: 1, total_bytes: aBody({ output: `answer ${first}` }).length })
    expect((await list()).entries).toHaveLength(1)
  })

  it('is decoded when it arrives compressed', async () => {
    for (const [name, encoded, encoding] of [
      ['a', gzipSync('some text'), 'gzip'],
      ['b', deflateSync('some text'), 'deflate'],
    ] as const) {
      expect((await put(cacheKeyOf(name), encoded, { 'content-encoding': encoding })).statusCode).toBe(201)
      expect((await get(cacheKeyOf(name))).body).toBe('some text')
    }
    expect((await put(KEY, 'x', { 'content-encoding': 'br' })).statusCode).toBe(415)
    expect((await put(KEY, 'no gzip', { 'content-encoding': 'gzip' })).statusCode).toBe(400)
  })

  it('is rejected above the size limit, which counts decoded bytes', async () => {
    expect((await put(cacheKeyOf('full'), Buffer.alloc(10_000, 'x'))).statusCode).toBe(201)
    for (const [body, headers] of [
      [Buffer.alloc(10_001, 'x'), {}],
      [gzipSync(Buffer.alloc(10_001, 'x')), { 'content-encoding': 'gzip' }],
      [Buffer.alloc(80_000, 'x'), { 'content-encoding': 'gzip' }],
    ] as const) {
      expect(await errorOf(put(KEY, body, headers))).toEqual([413, 'the request body is larger than 10000 bytes'])
    }
    expect((await get(KEY)).statusCode).toBe(404)
  })

  it('returns 404 when it is not stored', async () =>
    expect(await errorOf(get(KEY))).toEqual([404, 'cache entry not found']))

  it('returns no bytes for HEAD', async () => {
    await put(KEY, 'four')
    const found = await spec.sendAs('read')('HEAD', `/cache/${KEY}`)
    expect([found.statusCode, found.headers['content-length'], found.headers['content-type'], found.body]).toEqual([
      200,
      '4',
      'application/octet-stream',
      '',
    ])
    expect((await spec.sendAs('read')('HEAD', `/cache/${cacheKeyOf('none')}`)).statusCode).toBe(404)
  })

  it.each([
    'abc',
    `sha256:${'A'.repeat(64)}`,
    `sha256:${'a'.repeat(63)}`,
    `sha256:${'a'.repeat(65)}`,
    'a'.repeat(64),
    `md5:${'a'.repeat(64)}`,
  ])('rejects the key %s', async (key) => {
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['GET', 'entries/'],
      ['DELETE', 'entries/'],
    ] as const) {
      expect(
        await errorOf(
          spec.sendAs('admin')(method, `/cache/${path}${key}`, method === 'PUT' ? { body: Buffer.alloc(20_000) } : {}),
        ),
      ).toEqual([400, expect.stringContaining('sha256:<64 hex>')])
    }
    expect((await spec.sendAs('read')('GET', `/cache/entries/${key}/runs`)).statusCode).toBe(400)
    expect((await spec.sendAs('read')('HEAD', `/cache/${key}`)).statusCode).toBe(400)
  })

  it('has an ETag of its bytes', async () => {
    await put(KEY, 'text')
    const { headers } = await get(KEY)
    expect(
      (await spec.sendAs('read')('GET', `/cache/${KEY}`, { headers: { 'if-none-match': String(headers['etag']) } }))
        .statusCode,
    ).toBe(304)
    await spec.sendAs('admin')('DELETE', `/cache/entries/${KEY}`)
    await put(KEY, 'other')
    const after = await spec.sendAs('read')('GET', `/cache/${KEY}`, {
      headers: { 'if-none-match': String(headers['etag']) },
    })
    expect([after.statusCode, after.body]).toEqual([200, 'other'])
  })
})

describe('the last access', () => {
  it('is the time of the last GET or HEAD', async () => {
    await put(KEY, aBody())
    expect(await lastAccess(KEY)).toBe('2026-05-04T00:00:00+00:00')
    now += 1000
    await get(KEY)
    expect(await lastAccess(KEY)).toBe('2026-05-04T00:00:01+00:00')
    now += 1000
    // This response comes from memory.
    await get(KEY)
    expect(await lastAccess(KEY)).toBe('2026-05-04T00:00:02+00:00')
    now += 1000
    await spec.sendAs('read')('HEAD', `/cache/${KEY}`)
    expect(await lastAccess(KEY)).toBe('2026-05-04T00:00:03+00:00')
  })

  it('is not changed by other requests', async () => {
    await put(KEY, aBody())
    now += 1000
    await put(KEY, aBody())
    await list('?q=hello')
    await detail(KEY, '?raw=true')
    await spec.sendAs('read')('GET', `/cache/entries/${KEY}/runs`)
    await spec.sendAs('admin')('GET', '/cache/facets')
    await stats()
    expect(await lastAccess(KEY)).toBe('2026-05-04T00:00:00+00:00')
  })
})
