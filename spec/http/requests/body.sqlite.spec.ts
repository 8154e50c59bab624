import type { IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import fc from 'fast-check'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { receive } from '../../../http/requests/body.ts'
import { openApp } from '../../support/servers/app.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { fillPath, routesOf } from '../../support/http/routes.ts'
import { runCount } from '../../support/random/runs.ts'

const MAX_BYTES = 64 * 1024 * 1024
const JSON_TYPE = { 'content-type': 'application/json' }
const BASELINE = '/projects/chat/suites/smoke/baseline'
afterAll(() => spec.close())

type Headers = Readonly<Record<string, string>>
type RequestBody = string | Buffer

/** Both kinds of body: a run document, which the writer parses, and a few fields, which the route parses. */
const ROUTES = [
  {
    route: 'POST /runs',
    right: () => JSON.stringify(aDocument({ run_id: `run-${Math.random()}` })),
    send: (body: RequestBody, headers: Headers) => spec.sendAs(null)('POST', '/runs', { headers, body }),
    succeeds: 201,
    wrongShape: '{"schema_version":3}',
  },
  {
    route: 'PUT baseline',
    right: () => '{"run_id":"pinnable"}',
    send: (body: RequestBody, headers: Headers) => spec.sendAs(null)('PUT', BASELINE, { headers, body }),
    succeeds: 200,
    wrongShape: '{"run":"pinnable"}',
  },
]
const spec = await openApp({ mode: 'open' })
await spec.ingest(aDocument({ run_id: 'pinnable' }))

describe.each(ROUTES)('a body of $route', ({ right, send, succeeds, wrongShape }) => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    ' application/json ;x=y',
    'application/vnd.api+json',
    'application/vnd.api+json;v=1',
    'application/problem+json',
  ])('is accepted as %s', async (type) => {
    expect((await send(right(), { 'content-type': type })).statusCode).toBe(succeeds)
  })

  it.each([
    '',
    'garbage',
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json5',
    'application/+json',
    'multipart/form-data; boundary=x',
    'json',
    'application/octet-stream',
  ])('is rejected with 400 as %j', async (type) => {
    const answer = await send(right(), { 'content-type': type })
    expect(answer.statusCode).toBe(400)
    expect(answer.json<{ error: string }>().error).toContain('Content-Type')
  })

  it('is rejected with 400 without a content type', async () => {
    const answer = await send(Buffer.from(right()), {})
    expect(answer.statusCode).toBe(400)
    expect(answer.json<{ error: string }>().error).toContain('Content-Type')
  })

  it('is accepted with gzip, deflate and raw deflate encoding', async () => {
    for (const [encoding, compressed] of [
      ['gzip', gzipSync(right())],
      ['x-gzip', gzipSync(right())],
      ['GZIP', gzipSync(right())],
      ['deflate', deflateSync(right())],
      ['deflate', deflateSync(right(), { level: 0 })],
      ['deflate', deflateRawSync(right())],
      ['identity', Buffer.from(right())],
    ] as const) {
      expect((await send(compressed, { ...JSON_TYPE, 'content-encoding': encoding })).statusCode, encoding).toBe(
        succeeds,
      )
    }
  })

  it.each(['br', 'zstd', 'compress', 'gzip, gzip', 'gzip, deflate', 'identity, gzip', 'unknown', '*'])(
    'is rejected with 415 as %s',
    async (encoding) => {
      const answer = await send(gzipSync(right()), { ...JSON_TYPE, 'content-encoding': encoding })
      expect(answer.statusCode).toBe(415)
      expect(answer.json<{ error: string }>().error).toContain('Content-Encoding')
    },
  )

  it('is rejected with 400 when its encoding is wrong or it is truncated', async () => {
    const whole = Buffer.from(right())
    for (const [encoding, bytes] of [
      ['gzip', whole],
      ['deflate', whole],
      ['gzip', deflateSync(whole)],
      ['gzip', gzipSync(whole).subarray(0, -5)],
      ['gzip', gzipSync(whole).subarray(0, 12)],
      ['deflate', deflateSync(whole).subarray(0, -5)],
      ['deflate', deflateRawSync(whole).subarray(0, -5)],
      ['gzip', Buffer.alloc(0)],
      ['gzip', Buffer.concat([gzipSync(whole), Buffer.from('more')])],
      ['deflate', Buffer.concat([deflateSync(whole), Buffer.from('more')])],
      ['deflate', Buffer.concat([deflateRawSync(whole), Buffer.from('more')])],
    ] as const) {
      expect(
        (await send(bytes, { ...JSON_TYPE, 'content-encoding': encoding })).statusCode,
        `${encoding} ${bytes.length}`,
      ).toBe(400)
    }
  })

  it('is rejected with 413 when it decompresses beyond its limit', async () => {
    for (const [encoding, bomb] of [
      ['gzip', gzipSync(Buffer.alloc(MAX_BYTES + 1, 0x20))],
      ['deflate', deflateSync(Buffer.alloc(MAX_BYTES + 1, 0x20))],
      ['deflate', deflateRawSync(Buffer.alloc(MAX_BYTES + 1, 0x20))],
    ] as const) {
      const answer = await send(bomb, { ...JSON_TYPE, 'content-encoding': encoding })
      expect(answer.statusCode, encoding).toBe(413)
      expect(answer.json<{ error: string }>().error).toMatch(/(?:67108864|65536) bytes/)
    }
  })

  it('is rejected with 413 when it is larger than 64 MiB', async () => {
    const answer = await send(Buffer.alloc(MAX_BYTES + 1, 0x20), JSON_TYPE)
    expect(answer.statusCode).toBe(413)
    expect(Object.keys(answer.json<object>())).toEqual(['error'])
  })

  it.each([
    '',
    ' ',
    '{',
    '{"a":1,}',
    "{'a':1}",
    'nothing',
    '{"a":NaN}',
    '{} {}',
    '\uFEFF{}',
    '[1,',
    '"\\x"',
    '{"a":01}',
  ])('is rejected with 400 when it is not JSON: %j', async (body) => {
    const answer = await send(body, JSON_TYPE)
    expect(answer.statusCode).toBe(400)
    expect(answer.json<{ error: string }>().error).toMatch(/^invalid JSON body:/)
  })

  it('is rejected with 400 when it is not UTF-8', async () => {
    expect((await send(Buffer.from('7b2261223a22ff227d', 'hex'), JSON_TYPE)).statusCode).toBe(400)
    expect((await send(Buffer.from('7b7d', 'hex').swap16(), JSON_TYPE)).statusCode).toBe(400)
  })

  it('is rejected with 422 when it is JSON of another shape', async () =>
    expect((await send(wrongShape, JSON_TYPE)).statusCode).toBe(422))

  it('never causes a server error, with any content', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.json(), fc.string({ unit: 'binary' }), fc.uint8Array()),
        fc.constantFrom('', 'gzip', 'deflate', 'identity'),
        async (body, encoding) => {
          const bytes = Buffer.from(body as string)
          const compressed =
            encoding === 'gzip' ? gzipSync(bytes) : encoding === 'deflate' ? deflateRawSync(bytes) : bytes
          expect([400, 422]).toContain(
            (await send(compressed, { ...JSON_TYPE, 'content-encoding': encoding })).statusCode,
          )
        },
      ),
    )
  })
})

describe('a body of a few fields', () => {
  const put = (body: string, path = BASELINE) => spec.sendAs(null)('PUT', path, { headers: JSON_TYPE, body })

  it('is rejected with 422 that names an unknown field', async () => {
    const answer = await put('{"run_id":"pinnable","branch":"main"}')
    expect(answer.statusCode).toBe(422)
    expect(answer.json<{ error: string }>().error).toContain('branch')
  })

  it.each(['{}', '{"run_id":null}', '{"run_id":1}', '{"run_id":["pinnable"]}', '{"run_id":true}'])(
    'is rejected with 422 that names the invalid field: %s',
    async (body) => {
      const answer = await put(body)
      expect(answer.statusCode).toBe(422)
      expect(answer.json<{ error: string }>().error).toContain('run_id')
    },
  )

  it.each(['null', '[]', '"pinnable"', '1', 'true', '[{"run_id":"pinnable"}]'])(
    'is rejected with 422 when it is not an object: %s',
    async (body) => {
      expect((await put(body)).statusCode).toBe(422)
    },
  )

  it('is accepted at its limit and rejected with 413 above it, compressed or not', async () => {
    const full = '{"run_id":"pinnable"}'.padEnd(64 * 1024)
    const putCompressed = (body: string) =>
      spec.sendAs(null)('PUT', BASELINE, {
        headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
        body: gzipSync(body),
      })
    for (const answer of [await put(full), await putCompressed(full)]) expect(answer.statusCode).toBe(200)
    for (const answer of [await put(`${full} `), await putCompressed(`${full} `)])
      expect([answer.statusCode, answer.json()]).toEqual([
        413,
        { error: 'the request body is larger than 65536 bytes' },
      ])
  })

  it('has the same limit on every route with such a body, and on no other route', async () => {
    const large = JSON.stringify({ filler: 'x'.repeat(64 * 1024) })
    const limitedRoutes = []
    for (const { method, url } of routesOf(spec.app)) {
      const answer = await spec.app.inject({
        method: method as 'PUT',
        url: fillPath(url, {}),
        headers: JSON_TYPE,
        payload: large,
      })
      if (answer.statusCode === 413) limitedRoutes.push(`${method} ${url.replace('/api/v1', '')}`)
    }
    expect(limitedRoutes.toSorted()).toEqual([
      'PATCH /projects/:project/suites/:suite/settings',
      'PATCH /runs/:id/annotations',
      'PATCH /users/:id',
      'PATCH /views/:id',
      'POST /apikeys',
      'POST /auth/invite',
      'POST /auth/invite/accept',
      'POST /auth/login',
      'POST /auth/reset',
      'POST /auth/reset/password',
      'POST /auth/setup',
      'POST /erasures',
      'POST /holds',
      'POST /holds/:id/lift',
      'POST /links',
      'POST /projects/:project/suites/:suite/judges/declare',
      'POST /review-queues/:id/people',
      'POST /review/items/:item/adjudicate',
      'POST /review/items/:item/decline',
      'POST /review/items/:item/labels',
      'POST /review/labels/:id/withdraw',
      'POST /review/next',
      'POST /runs/:id/comments',
      'POST /runs/:id/evidence',
      'POST /users',
      'POST /users/:id/apikeys',
      'POST /views',
      'POST /webhooks',
      'PUT /projects/:project/suites/:suite/baseline',
      'PUT /sets/:project/grants/:user_id',
      'PUT /sets/:project/suites/:suite/grants/:user_id',
    ])
  })

  it('is rejected with 422 before parsing when nested deeper than 32 levels', async () => {
    const nested = (depth: number) => `{"run_id":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
    const deepest = await put(nested(32))
    expect([deepest.statusCode, deepest.json<{ error: string }>().error]).toEqual([
      422,
      expect.stringContaining('run_id'),
    ])
    for (const body of [nested(33), nested(30_000), '{"a":'.repeat(10_000), `[${nested(32)}`]) {
      const answer = await put(body)
      expect([answer.statusCode, answer.json()], body.slice(0, 40)).toEqual([
        422,
        { error: 'the request body is nested deeper than 32 levels' },
      ])
    }
    expect((await put(`{"run_id":"${'['.repeat(100)}"}`)).statusCode).toBe(404)
  })

  it('has its first three unknown fields named, shortened, and the others counted', async () => {
    const errorOf = async (fields: object) => {
      const answer = await put(JSON.stringify({ run_id: 'pinnable', ...fields }))
      expect(answer.statusCode).toBe(422)
      return answer.json<{ error: string }>().error
    }
    expect(await errorOf({ a: 1 })).toBe('unknown field "a"')
    expect(await errorOf({ a: 1, b: 2, c: 3 })).toBe('unknown fields "a", "b", "c"')
    expect(await errorOf(Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`f${n}`, n])))).toBe(
      'unknown fields "f0", "f1", "f2" and 4997 more',
    )
    expect(await errorOf({ [`"\n${'x'.repeat(50_000)}`]: 1 })).toBe(`unknown field "\\"\\n${'x'.repeat(77)}…"`)
  })

  it('is checked after the query and before the resource', async () => {
    expect((await put('{', `${BASELINE}?x=1`)).json<{ error: string }>().error).toContain('x')
    expect((await put('{"run_id":1}', `${BASELINE}?x=1`)).statusCode).toBe(400)
    expect(
      (await spec.sendAs(null)('PUT', `${BASELINE}?x=1`, { headers: { 'content-encoding': 'br' }, body: '{}' }))
        .statusCode,
    ).toBe(400)
    expect((await put('{', '/projects/none/suites/none/baseline')).statusCode).toBe(400)
    expect((await put('{"run_id":1}', '/projects/none/suites/none/baseline')).statusCode).toBe(422)
    expect((await put('{"run_id":"none"}', '/projects/none/suites/none/baseline')).statusCode).toBe(404)
  })
})

describe('receiving a body', () => {
  const requestOf = (pieces: readonly Buffer[], contentLength: number | null): IncomingMessage =>
    Object.assign(Readable.from(pieces), {
      headers: contentLength === null ? {} : { 'content-length': String(contentLength) },
    }) as unknown as IncomingMessage

  it('returns the whole body for any chunks, with or without Content-Length', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.nat(200_000), { maxLength: 12 }), fc.boolean(), async (sizes, hasLength) => {
        const pieces = sizes.map((size, n) => Buffer.alloc(size, n + 1))
        const whole = Buffer.concat(pieces)
        const lengths: number[] = []
        const body = await receive(requestOf(pieces, hasLength ? whole.length : null), MAX_BYTES, (length) =>
          lengths.push(length),
        )
        expect(whole.equals(body)).toBe(true)
        expect(lengths.at(-1) ?? 0).toBe(whole.length)
        // The buffer is transferred to another thread: a slice of Node's pool would transfer other data too.
        expect(body.byteOffset).toBe(0)
        expect(body.buffer.byteLength).toBeLessThanOrEqual(
          hasLength ? Math.max(whole.length, 0) : Math.max(whole.length * 2, 64 * 1024),
        )
      }),
      { numRuns: runCount(50) },
    ))

  it('refuses a body that is cut off, before or while it is received', async () => {
    const cutOff = { reason: 'bad_request', message: 'the request body was cut off' }
    const gone = requestOf([Buffer.alloc(10)], 10)
    gone.destroy()
    await expect(receive(gone, MAX_BYTES)).rejects.toMatchObject(cutOff)
    for (const why of [undefined, new Error('aborted')]) {
      const stream = new PassThrough()
      const raw = Object.assign(stream, { headers: { 'content-length': '10' } }) as unknown as IncomingMessage
      const received = receive(raw, MAX_BYTES, () => stream.destroy(why))
      stream.write(Buffer.alloc(5))
      await expect(received).rejects.toMatchObject(cutOff)
    }
  })

  it('leaves the rest of a body that is too large, and its stream, alone', async () => {
    const raw = requestOf([Buffer.alloc(10), Buffer.alloc(10), Buffer.alloc(10)], null)
    await expect(receive(raw, 15)).rejects.toMatchObject({ reason: 'too_large' })
    expect([raw.destroyed, raw.readableEnded, raw.isPaused()]).toEqual([false, false, true])
  })

  it('allocates memory for received bytes, not for announced ones', async () => {
    const { buffer } = await receive(requestOf([Buffer.alloc(1000)], MAX_BYTES), MAX_BYTES)
    expect(buffer.byteLength).toBeLessThanOrEqual(1024 * 1024)
  })
})
