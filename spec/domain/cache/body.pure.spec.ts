import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openCacheBody, readCacheBody } from '../../../domain/cache/body.ts'
import { tokenize } from '../../../domain/search/tokenizer.ts'

const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
const MINIMAL = { created_at: '2026-05-03T22:10:00Z', output: 'Yes.', service_version: '1.4.0' }
const read = (fields: Readonly<Record<string, unknown>> = {}) => readCacheBody(bytesOf({ ...MINIMAL, ...fields }))

const EXAMPLE = {
  created_at: '2026-05-03T22:10:00Z',
  kind: 'provider',
  service_version: '1.4.0',
  request: {
    transport: 'exec',
    command: './crm-bot',
    args: ['--fast'],
    stdin: { service: { protocol: 1, kind: 'provider' }, vars: { order: 'A-77' }, params: {} },
  },
  output: 'Yes, you can return it within 30 days.',
  attempts: 1,
  provider_latency_ms: 45,
}

describe('the metadata of a cache entry', () => {
  it('is read from its body', () =>
    expect(readCacheBody(bytesOf(EXAMPLE))).toEqual({
      status: 'parsed',
      entry_created_at: Date.UTC(2026, 4, 3, 22, 10),
      kind: 'provider',
      model: null,
      cost_micro: null,
      input_tokens: null,
      output_tokens: null,
      request_summary: 'exec ./crm-bot --fast',
      output_preview: 'Yes, you can return it within 30 days.',
      empty_reason: null,
      search_text: expect.stringContaining('crm-bot') as string,
    }))

  it('contains model, cost and tokens', () =>
    expect(
      read({ model: 'm-small', cost_usd: 0.0012345, usage: { input_tokens: 12, cache_read_tokens: 4 } }),
    ).toMatchObject({
      model: 'm-small',
      cost_micro: 1235,
      input_tokens: 12,
      output_tokens: 0,
    }))

  it('has no cost if it would not be exact', () =>
    expect(read({ cost_usd: 1e300 })).toMatchObject({ status: 'parsed', cost_micro: null }))
  it('has null for absent values', () =>
    expect(read({ kind: null, usage: null, model: null, tool_calls: null, empty_reason: null })).toEqual(read()))
  it('does not require the field service_version', () => {
    expect(read({ service_version: undefined, client_version: '2.0' })).toEqual(read())
    expect(read({ service_version: null })).toEqual(read())
  })

  it('ignores unknown keys', () => expect(read({ unheard_of: [1, 2] })).toEqual(read()))
  it('reads an instant with an offset', () =>
    expect(read({ created_at: '2026-05-04T00:10:00.5+02:00' }).entry_created_at).toBe(
      Date.UTC(2026, 4, 3, 22, 10, 0, 500),
    ))

  it('shortens kind and model to 400 bytes', () => {
    expect(Buffer.byteLength(read({ model: 'é'.repeat(1000) }).model ?? '')).toBe(400)
    expect(read({ kind: `x${'é'.repeat(300)}` }).kind).toBe(`x${'é'.repeat(199)}`)
  })
})

it.each([
  ['the named kind, even if unknown', { kind: 'speech', attempts: 1 }, 'speech'],
  ['judge for an old rubric verdict', { verdict: { kind: 'rubric', score: 1, pass: true } }, 'judge'],
  [
    'exec_assert for an old exec verdict',
    { verdict: { kind: 'exec', score: 1, pass: true, details: [1] } },
    'exec_assert',
  ],
  [
    'similar_verdict for an old similarity verdict',
    { verdict: { kind: 'similarity', cosine: 0.5 } },
    'similar_verdict',
  ],
  [
    'provider for a program with a provider envelope',
    { request: { transport: 'exec', stdin: { service: { kind: 'provider' } } } },
    'provider',
  ],
  [
    'exec_assert for a program with an assert envelope',
    { request: { transport: 'exec', stdin: { service: { kind: 'assert' } } }, attempts: 1 },
    'exec_assert',
  ],
  ['embedding if the output has only dimensions', { output: { dims: 3 }, attempts: 1 }, 'embedding'],
  ['provider if it has attempts', { attempts: 1, output: { dims: 3, more: 1 } }, 'provider'],
  ['provider if it has a provider latency', { provider_latency_ms: 0 }, 'provider'],
  ['null if nothing indicates one', { request: { transport: 'exec', stdin: { service: { kind: 'generate' } } } }, null],
])('the kind of a cache entry is %s', (_, fields, kind) => expect(read(fields).kind).toBe(kind))

describe('the request summary of a cache entry', () => {
  it.each([
    [
      'method and URL without its query',
      { transport: 'http', method: 'GET', url: 'https://bot.test/ask?token=1#x' },
      'GET https://bot.test/ask',
    ],
    ['POST without a method', { transport: 'http', url: 'https://bot.test/ask#a?b' }, 'POST https://bot.test/ask'],
    [
      'the path of a vendor request',
      { transport: 'http', method: 'POST', path: '/v1/messages?beta=1' },
      'POST /v1/messages',
    ],
    [
      'a program with its arguments',
      { transport: 'exec', command: 'node', args: ['bot.mjs', '--fast'] },
      'exec node bot.mjs --fast',
    ],
    ['null for another transport', { transport: 'carrier pigeon', url: 'x' }, null],
    ['null for a request without a URL or path', { transport: 'http' }, null],
    ['null for a request that is not an object', 'GET /', null],
  ])('is %s', (_, request, summary) => expect(read({ request }).request_summary).toBe(summary))

  it('falls back to the address of the entry', () =>
    expect(read({ request: { transport: 'http' }, address: 'https://api.test/v1?x' }).request_summary).toBe(
      'POST https://api.test/v1',
    ))
  it('is null without a request', () => expect(read({ address: 'https://api.test' }).request_summary).toBeNull())
  it('has at most 256 code points', () =>
    expect([
      ...(read({ request: { transport: 'exec', command: '💬'.repeat(400) } }).request_summary ?? ''),
    ]).toHaveLength(256))
})

describe('the text of a cache entry', () => {
  it('previews 300 code points of the output', () =>
    expect(read({ output: '💬'.repeat(400) }).output_preview).toBe('💬'.repeat(300)))
  it('previews an output that is not text as compact JSON', () =>
    expect(read({ output: { b: [1, null] } }).output_preview).toBe('{"b":[1,null]}'))
  it('previews an empty output as empty text', () => expect(read({ output: '' }).output_preview).toBe(''))
  it('previews a null output as JSON, which the search finds too', () => {
    expect(read({ output: null }).output_preview).toBe('null')
    expect(tokenize(read({ output: null }).search_text)).toEqual(['null'])
  })

  it('contains request and output, but not the empty reason', () => {
    const { search_text } = read({
      request: { body: { q: 'Crème brûlée' } },
      output: 'dessert, YES',
      empty_reason: 'refusal',
    })
    expect(tokenize(search_text)).toEqual(['body', 'q', 'creme', 'brulee', 'dessert', 'yes'])
  })

  it('contains the first 16384 code points of request and output', () => {
    const { search_text } = read({ request: 'r'.repeat(20_000), output: 'o'.repeat(20_000) })
    expect(search_text.split('\n').map((part) => part.length)).toEqual([16_384, 16_384])
  })
})

it.each([
  ['unchanged', 'content_filter', 'content_filter'],
  ['without control characters', 're\u0000fus\u001b\u0085al\n', 'refusal'],
  ['cut to 64 code points', '💬'.repeat(70), '💬'.repeat(64)],
  ['null if nothing is left', '\u0000', null],
  ['null if it is empty', '', null],
])('the empty reason of a cache entry is %s', (_, empty_reason, clamped) =>
  expect(read({ empty_reason }).empty_reason).toBe(clamped),
)

describe('a body that is not an entry', () => {
  it.each([
    ['not text', new Uint8Array([0xff, 0x00])],
    ['not JSON', Buffer.from('plain words')],
    ['empty', new Uint8Array()],
    ['an array', bytesOf([MINIMAL])],
    ['text after a byte order mark', Buffer.from(`\ufeff${JSON.stringify(MINIMAL)}`)],
    ['truncated', bytesOf(MINIMAL).subarray(0, 20)],
  ])('is opaque if it is %s', (_, bytes) =>
    expect(readCacheBody(bytes)).toMatchObject({
      status: 'opaque',
      kind: null,
      entry_created_at: null,
      search_text: '',
    }),
  )

  it.each([
    ['without an output', { output: undefined }],
    ['without an instant', { created_at: 'yesterday' }],
    ['with a version that is a number', { service_version: 1 }],
    ['with a usage that is not an object', { usage: 3 }],
    ['with negative tokens', { usage: { input_tokens: -1 } }],
    ['with a cost that is text', { cost_usd: '1' }],
    ['with a verdict of an unknown kind', { verdict: { kind: 'guess' } }],
    ['with half a verdict', { verdict: { kind: 'rubric', score: 1 } }],
    ['with a tool call without a name', { tool_calls: [{ arguments: {} }] }],
    ['with half an attempt', { attempts: 0.5 }],
  ])('is unparseable %s', (_, fields) =>
    expect(read(fields)).toMatchObject({ status: 'unparseable', kind: null, output_preview: null }),
  )

  it('is unparseable if it is deeper than JSON.stringify can write', () =>
    expect(
      readCacheBody(
        Buffer.from(
          `{"created_at":"2026-05-03T22:10:00Z","service_version":"1","output":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
        ),
      ).status,
    ).toBe('unparseable'))
})

describe('reading the body of a cache entry', () => {
  const FIELDS = [
    ...Object.keys(EXAMPLE),
    'usage',
    'cost_usd',
    'model',
    'raw',
    'verdict',
    'empty_reason',
    'tool_calls',
    'address',
    'provider_fingerprint',
    '__proto__',
  ]
  const anyBody = fc.dictionary(fc.constantFrom(...FIELDS), fc.jsonValue()).map((fields) => ({ ...MINIMAL, ...fields }))
  const clean = (text: string | null): boolean => text === null || (text.isWellFormed() && !text.includes('\0'))

  it('never throws for any bytes', () =>
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => readCacheBody(bytes).status === 'opaque')))

  it('never throws for JSON of any shape', () =>
    fc.assert(fc.property(fc.jsonValue(), (value) => readCacheBody(bytesOf(value)).status !== 'parsed')))

  it('never throws for an entry with changed bytes', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), (changes) => {
        const bytes = bytesOf(EXAMPLE)
        for (const [index, byte] of changes) bytes[index % bytes.length] = byte
        expect(readCacheBody(bytes).status).not.toBe(undefined)
      }),
    ))

  it('returns text that every database can store', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (first, second) => {
        const { kind, model, request_summary, output_preview, empty_reason, search_text } = read({
          kind: first,
          model: `${second}\ud800`,
          output: `\0${first}`,
          empty_reason: second,
          request: { transport: 'exec', command: `${first}\udc00` },
        })
        expect([kind, model, request_summary, output_preview, empty_reason, search_text].every(clean)).toBe(true)
      }),
    ))

  it('changes nothing when it reads a body that it has returned', () =>
    fc.assert(
      fc.property(anyBody, (body) => {
        const { status, body: opened } = openCacheBody(bytesOf(body))
        if (status === 'parsed') expect(openCacheBody(bytesOf(opened)).body).toEqual(opened)
      }),
    ))
})
