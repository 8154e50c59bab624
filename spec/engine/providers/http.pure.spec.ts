import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canonicalText } from '../../../engine/cache/canonical.ts'
import type { HttpProvider } from '../../../engine/suite/suite.ts'
import { callInput, httpSpec, providerOf } from '../../support/vendors/suites.ts'
import { headerOf, startVendors, type Vendors } from '../../support/vendors/vendors.ts'

const NEVER = new AbortController().signal
const ENV = { BOT_TOKEN: 'bot-canary-0123', SERVICE_PROVIDER_HEADERS: '{"x-run":"{{ env.RUN }}"}', RUN: 'nightly' }

describe('an http provider', () => {
  let vendors: Vendors
  beforeEach(async () => {
    vendors = await startVendors()
    vendors.answerWith(() => ({ headers: { 'X-Kind': 'k' }, body: { answers: [{ text: 'yes', n: 1 }] } }))
  })
  afterEach(() => vendors[Symbol.asyncDispose]())

  const provider = (more: Partial<HttpProvider> = {}, env = ENV) =>
    providerOf(httpSpec({ url: `${vendors.url}/ask`, ...more }), { env })
  const call = (more: Partial<HttpProvider> = {}, input = {}) => provider(more).prepare(callInput(input))

  it('sends exactly this request', async () => {
    const more: Partial<HttpProvider> = {
      url: `${vendors.url}/ask?lang={{ lang }}`,
      headers: { authorization: 'Bearer {{ env.BOT_TOKEN }}', 'X-Run': 'mine' },
      body: { q: '{{ prompt }}', top: 3, list: ['{{ lang }}', null, true], '{{ lang }}': 'key' },
    }
    await call(more, { prompt: { text: 'How "long"?' }, vars: { lang: 'de' } }).send(NEVER)
    const [request] = vendors.requests
    expect(request).toMatchObject({
      method: 'POST',
      path: '/ask?lang=de',
      body: '{"q":"How \\"long\\"?","top":3,"list":["de",null,true],"{{ lang }}":"key"}',
    })
    expect(headerOf(request, 'content-type')).toBe('application/json')
    expect(headerOf(request, 'authorization')).toBe('Bearer bot-canary-0123')
    expect(headerOf(request, 'x-run')).toBe('mine')
  })

  it('sends no body and no content type where none is declared', async () => {
    await call({ method: 'GET' }).send(NEVER)
    expect(vendors.requests[0]).toMatchObject({ method: 'GET', body: '' })
    expect(headerOf(vendors.requests[0], 'content-type')).toBeUndefined()
    const empty = call({ body: null })
    await empty.send(NEVER)
    expect(vendors.requests[1]).toMatchObject({ method: 'POST', body: '' })
    expect(empty.canonical).not.toHaveProperty('body')
  })

  it.each(['GET', 'DELETE'] as const)('sends a declared body with %s', async (method) => {
    await call({ method, body: { q: 'ü' } }).send(NEVER)
    expect(vendors.requests[0]).toMatchObject({ method, body: '{"q":"ü"}' })
  })

  it.each([
    [{}, 501],
    [{ output_expr: 'response.json | length' }, 501],
    [{ output_expr: '[[response.json]]' }, 499],
  ])('refuses what no run document could be read with: %j of %i levels', async (more, levels) => {
    const nested = (depth: number) => vendors.script({ body: `${'['.repeat(depth)}${']'.repeat(depth)}` })
    nested(levels - 1)
    await call(more).send(NEVER)
    nested(levels)
    await expect(call(more).send(NEVER)).rejects.toMatchObject({
      errorClass: 'provider_protocol',
      retriable: false,
      message: expect.stringContaining('nested deeper than 500 levels') as string,
    })
  })
  it.each([[undefined], ['response.json.answers[0].text'], ['response.json.out | default("")']])(
    'fails for a body that reports an error, with the expression %j',
    async (output_expr) => {
      vendors.script({ headers: { 'retry-after': '2' }, body: { error: { message: `quota of ${ENV.BOT_TOKEN}` } } })
      const more = {
        headers: { authorization: '{{ env.BOT_TOKEN }}' },
        ...(output_expr !== undefined && { output_expr }),
      }
      await expect(call(more).send(NEVER)).rejects.toMatchObject({
        errorClass: 'provider_unavailable',
        retriable: true,
        retryAfterMs: 2000,
        message: 'the response reports an error: quota of [redacted BOT_TOKEN]',
      })
    },
  )

  it('leaves errors to an expression that handles them', async () => {
    vendors.script({ body: { error: { message: 'no such city' } } })
    expect(await call({ output_expr: 'response.json.error.message' }).send(NEVER)).toMatchObject({
      output: 'no such city',
    })
  })

  it('takes text with many brackets as text', async () => {
    vendors.script({ body: '['.repeat(600) })
    expect(await call().send(NEVER)).toEqual({ output: '['.repeat(600), tool_calls: [] })
  })

  it('has the canonical request of the reference', () => {
    const { canonical, preview } = providerOf(
      httpSpec({ body: { q: '{{ prompt }}' }, output_expr: 'response.json.answer' }),
    ).prepare(callInput({ prompt: { text: 'How long?' } }))
    expect(canonicalText(canonical)).toBe(
      '{"body":{"q":"How long?"},"method":"POST","output_expr":"response.json.answer","transport":"http","url":"https://bot.test/ask"}',
    )
    expect(preview).toEqual({
      transport: 'http',
      method: 'POST',
      url: 'https://bot.test/ask',
      body: { q: 'How long?' },
    })
  })

  it('records placeholders, the digest of headers, and null for no body', () => {
    const { canonical, preview } = call({
      url: 'https://bot.test/{{ env.BOT_TOKEN }}',
      headers: { a: '{{ env.BOT_TOKEN }}' },
    })
    expect(preview).toEqual({ transport: 'http', method: 'POST', url: 'https://bot.test/${env:BOT_TOKEN}', body: null })
    expect(canonical).toEqual({
      transport: 'http',
      method: 'POST',
      url: 'https://bot.test/${env:BOT_TOKEN}',
      headers_digest: expect.stringMatching(/^blake3:/) as string,
    })
  })

  it('has prompt and messages in scope; a var called messages wins, one called prompt or env loses', async () => {
    const messages = [
      { role: 'system', content: 'S' },
      { role: 'user', content: [{ type: 'text', text: 'U' }] },
    ] as const
    const body = { p: '{{ prompt }}', m: '{{ messages | length }}', e: '{{ env.RUN }}' }
    const sent = async (input: object) => {
      await call({ body }, input).send(NEVER)
      return vendors.requests.at(-1)?.body
    }
    expect(await sent({ prompt: { messages } })).toBe('{"p":"system: S\\nuser: U","m":"2","e":"nightly"}')
    expect(await sent({ vars: { messages: [1, 2, 3], prompt: 'x', env: 'x' }, prompt: { text: 't' } })).toBe(
      '{"p":"t","m":"3","e":"nightly"}',
    )
  })

  it('cannot render what is undefined', () => {
    expect(() => call({ body: { q: '{{ nothing }}' } })).toThrow(
      expect.objectContaining({ errorClass: 'render_failed' }),
    )
    expect(() => call({ body: '{{ prompt }}' }, { prompt: null })).toThrow(
      expect.objectContaining({ errorClass: 'render_failed' }),
    )
  })

  it.each([
    [undefined, '{"answers":[{"text":"yes","n":1}]}'],
    ['response.json.answers[0].text', 'yes'],
    ['response.json.answers[0]', { text: 'yes', n: 1 }],
    ['response.status', 200],
    ['response.headers["x-kind"]', 'k'],
    ['response.text | length > 3', true],
    ['response.json.nothing', null],
  ])('reads the output by %s', async (output_expr, output) => {
    const response = await call(output_expr === undefined ? {} : { output_expr }).send(NEVER)
    expect([response.output, response.raw]).toEqual([output, { answers: [{ text: 'yes', n: 1 }] }])
    expect(response.tool_calls).toEqual([])
  })

  it.each([
    ['', undefined, 'empty_body'],
    ['  ', 'response.text', 'empty_body'],
    ['{"a":""}', 'response.json.a', 'output_expr_empty'],
    ['{"a":[]}', 'response.json.a', 'output_expr_empty'],
    ['{"a":0}', 'response.json.a', undefined],
  ])('classifies the body %j with %s as %s', async (body, output_expr, reason) => {
    vendors.script({ body })
    expect((await call(output_expr === undefined ? {} : { output_expr }).send(NEVER)).empty_reason).toBe(reason)
  })

  it('fails for good where the expression does, and does not evaluate it for an error', async () => {
    await expect(call({ output_expr: 'response.json.x.y' }).send(NEVER)).rejects.toMatchObject({
      errorClass: 'provider_protocol',
      retriable: false,
    })
    vendors.script({ status: 500, body: 'x' })
    await expect(call({ output_expr: 'response.json.x.y' }).send(NEVER)).rejects.toMatchObject({
      errorClass: 'provider_unavailable',
    })
  })

  it('has no raw response where the body is no JSON', async () => {
    vendors.script({ body: 'plain' })
    expect(await call().send(NEVER)).toEqual({ output: 'plain', tool_calls: [] })
  })

  it('returns no secret that the endpoint repeats', async () => {
    vendors.answerWith((request) => ({ body: request.headers }))
    const response = await call({ headers: { a: 'Bearer {{ env.BOT_TOKEN }}' } }).send(NEVER)
    expect(JSON.stringify(response)).not.toContain('canary')
    expect(JSON.stringify(response)).toContain('[redacted header a]')
  })

  it('returns no credential that is written in full in a header', async () => {
    vendors.answerWith(({ headers }) => ({ body: headers }))
    const response = await call({
      headers: { authorization: 'Bearer canary-12345678', 'x-region': 'eu-central' },
    }).send(NEVER)
    expect(JSON.stringify(response)).not.toContain('canary')
    expect(JSON.stringify(response)).toContain('eu-central')
  })

  it('returns no secret that a template wrote in another form', async () => {
    const key = 'bot-canary-0123'
    vendors.answerWith(({ path, body, headers }) => ({ body: { path, body, header: headers } }))
    const response = await call({
      url: `${vendors.url}/ask?k={{ env.BOT_TOKEN | upper }}`,
      headers: { 'x-a': 'k {{ env.BOT_TOKEN | reverse }}' },
      body: { list: [{ k: 'id={{ env.BOT_TOKEN | title }};' }], other: '{{ env.RUN }}' },
    }).send(NEVER)
    const text = JSON.stringify(response)
    expect(text.toLowerCase()).not.toContain(key)
    expect(text).not.toContain([...key].reverse().join(''))
    expect(text).toContain('/ask?k=[redacted part')
    expect(text).toContain('nightly')
  })

  it('returns no secret that the escapes of JSON hide', async () => {
    vendors.script({ body: '{"a":"bot\\u002dcanary\\u002d0123"}' })
    const { raw } = await call({ headers: { a: '{{ env.BOT_TOKEN }}' } }).send(NEVER)
    expect(JSON.stringify(raw)).not.toContain('canary')
  })

  it('has the fingerprint of the reference', () => {
    const { fingerprint } = providerOf(httpSpec({ body: { q: '{{ prompt }}' }, output_expr: 'response.json.answer' }))
    expect(canonicalText(fingerprint)).toBe(
      '{"body":{"q":"{{ prompt }}"},"method":"POST","output_expr":"response.json.answer","type":"http","url":"https://bot.test/ask"}',
    )
    expect(providerOf(httpSpec({ headers: { a: '{{ x }}' } })).fingerprint['headers']).toMatch(/^blake3:/)
    expect(provider({ url: 'https://u:p@bot.test/a?key=1' }).address).toBe('https://bot.test/a')
  })
})
