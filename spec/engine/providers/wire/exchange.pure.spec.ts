import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpClient } from '../../../../cli/suite/http-client.ts'
import { ProviderFailure } from '../../../../engine/providers/provider.ts'
import { redactor } from '../../../../engine/providers/redactor.ts'
import { HttpStatusFailure, exchange, type WireRequest } from '../../../../engine/providers/wire/exchange.ts'
import { errorAnswer } from '../../../support/vendors/answers.ts'
import { START_MS, enginePorts, manualClock } from '../../../support/vendors/engine-ports.ts'
import { headerOf, startVendors, type Vendors } from '../../../support/vendors/vendors.ts'

const NEVER = new AbortController().signal
const SECRET = 'canary-key-0123456789'
const REQUEST = { method: 'GET', headers: [], body: null, timeoutMs: 120_000 }
const MIB = 1024 * 1024

describe('exchange', () => {
  let vendors: Vendors
  let clock: ReturnType<typeof manualClock>
  beforeEach(async () => {
    vendors = await startVendors()
    clock = manualClock()
  })
  afterEach(() => vendors[Symbol.asyncDispose]())

  const send = (more: Partial<WireRequest> = {}, signal = NEVER) =>
    exchange(
      enginePorts({}, clock),
      {
        method: 'POST',
        url: `${vendors.url}/v1/messages`,
        headers: [
          ['content-type', 'application/json'],
          ['x-api-key', SECRET],
        ],
        body: '{"a":1}',
        timeoutMs: 120_000,
        redactor: redactor(new Map([['KEY', SECRET]])),
        ...more,
      },
      signal,
    )
  const failureOf = (more?: Partial<WireRequest>): Promise<ProviderFailure> =>
    send(more).then(
      () => expect.unreachable('the request succeeded'),
      (error: unknown) => {
        expect(error).toBeInstanceOf(ProviderFailure)
        expect(String((error as Error).message)).not.toContain(SECRET)
        return error as ProviderFailure
      },
    )

  it('returns status, headers and text', async () => {
    vendors.script({ status: 201, headers: { 'X-One': '1' }, body: 'Grüße' })
    expect(await send()).toMatchObject({ status: 201, headers: { 'x-one': '1' }, text: 'Grüße' })
    expect(vendors.requests[0]).toMatchObject({ method: 'POST', path: '/v1/messages', body: '{"a":1}' })
  })

  it.each([
    [429, 'provider_rate_limit', true],
    [500, 'provider_unavailable', true],
    [503, 'provider_unavailable', true],
    [529, 'provider_unavailable', true],
    [401, 'provider_auth', false],
    [403, 'provider_auth', false],
    [400, 'provider_request', false],
    [404, 'provider_request', false],
    [408, 'provider_request', false],
    [422, 'provider_request', false],
    [304, 'provider_protocol', false],
  ])('a response of status %i is %s', async (status, errorClass, retriable) => {
    vendors.script({ status, body: status === 304 ? '' : 'why' })
    expect(await failureOf()).toMatchObject({
      errorClass,
      retriable,
      status,
      message: status === 304 ? 'HTTP 304' : `HTTP ${status}: why`,
    })
  })

  it.each([
    ['text/plain; charset=iso-8859-1', [0x47, 0x72, 0xfc, 0xdf, 0x65], 'Grüße'],
    ['text/plain; charset="ISO-8859-15"; x=y', [0xa4], '€'],
    ['application/json;charset=utf-8', [...Buffer.from('"ü"')], '"ü"'],
    ['text/plain; Charset = shift_jis', [0x93, 0xfa], '日'],
    ['text/plain; charset=utf-16le', [0x61, 0, 0x62, 0], 'ab'],
    ['text/plain', [...Buffer.from('ü')], 'ü'],
    ['text/plain; charset=no-such-charset', [...Buffer.from('ü')], 'ü'],
    // A byte order mark says more than a header.
    ['text/plain; charset=iso-8859-1', [0xef, 0xbb, 0xbf, ...Buffer.from('ü')], 'ü'],
    ['text/plain; charset=iso-8859-1', [0xfe, 0xff, 0, 0x61], 'a'],
  ])('decodes %s', async (type, bytes, text) => {
    vendors.script({ headers: { 'content-type': type }, body: Buffer.from(bytes) })
    expect((await send()).text).toBe(text)
    vendors.script({ status: 400, headers: { 'content-type': type }, body: Buffer.from(bytes) })
    expect((await failureOf()).message).toBe(`HTTP 400: ${text}`)
  })

  it('quotes 500 characters of an error, without secrets', async () => {
    vendors.script({ status: 400, body: `${'😀'.repeat(490)}${SECRET}${'z'.repeat(100)}` })
    const { message } = await failureOf()
    expect(message).toBe(`HTTP 400: ${'😀'.repeat(490)}[redacted `)
  })

  it.each([
    ['7', 7000],
    ['0', 0],
    [new Date(START_MS + 90_000).toUTCString(), 90_000],
    [new Date(START_MS - 90_000).toUTCString(), 0],
    ['soon', null],
    ['3.5', null],
    ['-1', null],
  ])('reads Retry-After %s', async (value, ms) => {
    vendors.script(errorAnswer(429, 'slow down', value))
    expect(await failureOf()).toMatchObject({ retryAfterMs: ms })
  })

  it('ignores Retry-After of a failure that is not tried again', async () => {
    vendors.script(errorAnswer(400, 'no', '7'))
    expect((await failureOf()).retryAfterMs).toBeNull()
  })

  it('a connection that is refused or cut before a response may go better again', async () => {
    vendors.script('cut')
    expect(await failureOf()).toMatchObject({ errorClass: 'provider_timeout', retriable: true })
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const refused = await failureOf({ url: `http://127.0.0.1:${port}/` })
    expect(refused).toMatchObject({ errorClass: 'provider_timeout', retriable: true })
    expect(refused.message).toContain('ECONNREFUSED')
  })

  it('a response that is cut, or no HTTP, cannot be read', async () => {
    vendors.script({ cutAfter: '{"content"' })
    expect(await failureOf()).toMatchObject({
      errorClass: 'provider_protocol',
      retriable: false,
      message: expect.stringContaining('incomplete') as string,
    })
    vendors.script({ rawBytes: 'SSH-2.0-server\r\n\r\n' })
    expect(await failureOf()).toMatchObject({ errorClass: 'provider_protocol', retriable: false })
  })

  it('reports the status of an error whose body is cut', async () => {
    vendors.script({ status: 503, cutAfter: 'overl' })
    expect(await failureOf()).toMatchObject({ errorClass: 'provider_unavailable', status: 503 })
  })

  it('reads no more than needed of an error without end', async () => {
    vendors.script({ status: 500, endless: 'x' })
    expect((await failureOf()).message).toBe(`HTTP 500: ${'x'.repeat(500)}`)
    await expect.poll(() => vendors.aborted()).toBe(1)
  })

  it('refuses a response above 64 MiB', async () => {
    vendors.script({ endless: 'x' })
    expect(await failureOf()).toMatchObject({
      errorClass: 'provider_protocol',
      message: 'the response is longer than 64 MiB',
    })
    await expect.poll(() => vendors.aborted()).toBe(1)
  })

  it('accepts a long response', async () => {
    vendors.script({ body: 'x'.repeat(MIB) })
    expect((await send()).text).toHaveLength(MIB)
  })

  it('ends a call without an answer, and one with a slow body, at the timeout', async () => {
    for (const answer of ['never', { start: '{', rest: '}' }] as const) {
      vendors.script(answer)
      const failed = failureOf({ timeoutMs: 120_000 })
      await vendors.received(vendors.requests.length + 1)
      clock.advance(120_000)
      expect(await failed).toMatchObject({
        errorClass: 'provider_timeout',
        retriable: true,
        message: 'no complete answer within 120000 ms',
      })
    }
    await expect.poll(() => vendors.aborted()).toBe(2)
  })

  it('reports the status of an error whose body is slow, at the timeout, but the end of the run before it', async () => {
    const reason = new Error('the run ends')
    for (const isRunEnding of [false, true]) {
      vendors.script({ status: 503, start: 'overl', rest: 'oaded' })
      const run = new AbortController()
      const responded = Promise.withResolvers<void>()
      const request = { ...REQUEST, url: vendors.url, redactor: redactor(new Map()) }
      const real = enginePorts({}, clock)
      const ports = {
        ...real,
        http: async (...args: Parameters<typeof real.http>) => {
          const response = await real.http(...args)
          responded.resolve()
          return response
        },
      }
      const outcome = exchange(ports, request, run.signal).catch((error: unknown) => error)
      await responded.promise
      if (isRunEnding) run.abort(reason)
      else clock.advance(120_000)
      if (isRunEnding) expect(await outcome).toBe(reason)
      else expect(await outcome).toMatchObject({ status: 503, errorClass: 'provider_unavailable' })
    }
  })

  it('waits for a slow body within the timeout', async () => {
    vendors.script({ start: '{"a":', rest: '1}' })
    const done = send()
    await vendors.received(1)
    clock.advance(119_999)
    vendors.release()
    expect((await done).text).toBe('{"a":1}')
  })

  it('throws the reason of its signal', async () => {
    vendors.script('never')
    const run = new AbortController()
    const reason = new Error('the run ends')
    const failed = expect(send({}, run.signal)).rejects.toBe(reason)
    await vendors.received(1)
    run.abort(reason)
    await failed
    await expect(send({}, run.signal)).rejects.toBe(reason)
    expect(vendors.requests).toHaveLength(1)
  })

  it('follows redirects as fetch does', async () => {
    vendors.script(
      { status: 307, headers: { location: '/a' }, body: '' },
      { status: 302, headers: { location: '/b' }, body: '' },
      { body: 'done' },
    )
    expect((await send()).text).toBe('done')
    expect(vendors.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/v1/messages', '{"a":1}'],
      ['POST', '/a', '{"a":1}'],
      ['GET', '/b', ''],
    ])
    expect(headerOf(vendors.requests[2], 'x-api-key')).toBe(SECRET)
    expect(headerOf(vendors.requests[2], 'content-type')).toBeUndefined()
  })

  it('sends no header of the request to another origin', async () => {
    await using other = await startVendors()
    vendors.script({ status: 307, headers: { location: `${other.url}/x` }, body: '' })
    other.script({ body: 'other' })
    expect((await send()).text).toBe('other')
    expect(headerOf(other.requests[0], 'x-api-key')).toBeUndefined()
    expect(other.requests[0]?.body).toBe('{"a":1}')
  })

  it.each([
    ['file:///etc/passwd', 'is not a URL of http or https'],
    ['data:text/plain,hello', 'is not a URL of http or https'],
    ['ftp://127.0.0.1/', 'is not a URL of http or https'],
    [`http://user:${SECRET}@127.0.0.1/`, 'names a user or a password'],
    ['//user-canary@127.0.0.1/', 'names a user or a password'],
  ])('does not follow a redirect to %s', async (location, reason) => {
    vendors.script({ status: 302, headers: { location }, body: '' })
    const { message, errorClass } = await failureOf()
    expect(errorClass).toBe('provider_protocol')
    expect(message).toContain(`redirect refused: the address ${reason}`)
    expect(message).not.toContain('canary')
    expect(vendors.requests).toHaveLength(1)
  })

  it('quotes no secret that the escapes of JSON hide, also where the body is cut', async () => {
    const escaped = Array.from(SECRET, (character) => `\\u00${character.charCodeAt(0).toString(16)}`).join('')
    for (const end of ['"}', '']) {
      vendors.script({
        status: 400,
        headers: { 'content-type': 'application/json' },
        body: `{"error":"no ${escaped}${end}`,
      })
      expect((await failureOf()).message).toBe(`HTTP 400: {"error":"no [redacted KEY]${end}`)
    }
    vendors.script({ status: 400, body: '{"error":"a \\"b\\" \\u0041"}' })
    expect((await failureOf()).message).toBe('HTTP 400: {"error":"a \\"b\\" \\u0041"}')
  })

  it('gives up after ten redirects', async () => {
    vendors.answerWith(() => ({ status: 307, headers: { location: '/again' }, body: '' }))
    expect(await failureOf()).toMatchObject({ errorClass: 'provider_protocol', message: 'more than 10 redirects' })
    expect(vendors.requests).toHaveLength(11)
  })

  it('sends nothing that HTTP does not allow, and quotes no value of it', async () => {
    for (const headers of [
      [['x-one', `${SECRET}\r\nx-two: 1`]],
      [['x one', SECRET]],
      [['x-one', `${SECRET}\x7f`]],
    ] as const)
      expect(await failureOf({ headers })).toMatchObject({
        errorClass: 'provider_request',
        message: expect.stringContaining(headers[0][0]) as string,
      })
    for (const url of ['not a url', 'file:///etc/passwd', `http://user:${SECRET}@127.0.0.1/`])
      expect(await failureOf({ url })).toMatchObject({ errorClass: 'provider_request', retriable: false })
    expect(vendors.requests).toEqual([])
  })

  it.each(['{"a":"ü"}', null])('sends headers as UTF-8, with the body %s', async (body) => {
    await send({ headers: [['x-who', 'Zoë 日本 😀']], body })
    const sent = headerOf(vendors.requests[0], 'x-who') ?? ''
    expect(Buffer.from(sent, 'latin1').toString()).toBe('Zoë 日本 😀')
    expect(vendors.requests[0]?.body).toBe(body ?? '')
  })

  it.each([
    ['Content-Length', '2'],
    ['content-length', '7, 7'],
    ['Transfer-Encoding', 'chunked'],
  ])('refuses the declared header %s: %s, which does not delimit the body', async (name, value) => {
    expect(await failureOf({ headers: [[name, value]] })).toMatchObject({
      errorClass: 'provider_request',
      retriable: false,
      message: `header \`${name}\`: the body is sent with a length of its own, 7 bytes: remove this header`,
    })
    expect(vendors.requests).toEqual([])
  })

  it('sends the length of the body once where it is declared too, and none after a redirect without a body', async () => {
    vendors.script({ status: 303, headers: { location: '/other' }, body: '' }, { status: 200, body: 'done' })
    expect(await send({ headers: [['Content-Length', '7']] })).toMatchObject({ text: 'done' })
    expect(vendors.requests.map(({ method, body }) => [method, body])).toEqual([
      ['POST', '{"a":1}'],
      ['GET', ''],
    ])
    expect(vendors.requests.map((request) => headerOf(request, 'content-length'))).toEqual(['7', undefined])
  })

  it('reports a `host` once that no proxy takes', async () => {
    const ports = { ...enginePorts({}, clock), http: createHttpClient({ HTTP_PROXY: vendors.url }) }
    const request = { ...REQUEST, url: 'http://api.test/', redactor: redactor(new Map()) }
    await expect(exchange(ports, { ...request, headers: [['Host', 'gateway.test']] }, NEVER)).rejects.toMatchObject({
      errorClass: 'provider_request',
      retriable: false,
      message: expect.stringMatching(/^the request cannot be sent: .*Host.* must match .*api\.test/) as string,
    })
    expect(vendors.requests).toEqual([])
  })

  it('cuts blanks and line ends at both ends of a header', async () => {
    await send({ headers: [['x-api-key', ` ${SECRET}\n`]] })
    expect(headerOf(vendors.requests[0], 'x-api-key')).toBe(SECRET)
  })

  it('names the status of a failure', async () => {
    vendors.script({ status: 418, body: '' })
    expect(await failureOf()).toBeInstanceOf(HttpStatusFailure)
  })
})
