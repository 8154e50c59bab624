import { describe, expect, it } from 'vitest'
import { allowedOrigins, readAllowedOrigin } from '../../../http/mcp/origins.ts'

const entries = (...given: readonly string[]) =>
  given.map((entry) => readAllowedOrigin(entry) ?? expect.unreachable(`${entry} is no entry`))

describe('an entry of the allowlist', () => {
  it.each([
    ['app.example', { scheme: null, host: 'app.example', port: null }],
    ['APP.example', { scheme: null, host: 'app.example', port: null }],
    ['app.example:8443', { scheme: null, host: 'app.example', port: '8443' }],
    ['https://app.example', { scheme: 'https', host: 'app.example', port: null }],
    ['HTTP://app.example:080', { scheme: 'http', host: 'app.example', port: '80' }],
    ['192.0.2.1:80', { scheme: null, host: '192.0.2.1', port: '80' }],
    ['[2001:db8::1]', { scheme: null, host: '[2001:db8::1]', port: null }],
    ['[2001:DB8:0::1]:81', { scheme: null, host: '[2001:db8::1]', port: '81' }],
    ['bücher.example', { scheme: null, host: 'xn--bcher-kva.example', port: null }],
  ])('%s', (entry, expected) => expect(readAllowedOrigin(entry)).toEqual(expected))

  it.each([
    '',
    '*',
    'null',
    'http://null',
    'null:80',
    'https://',
    'app.example/',
    'https://app.example/path',
    'ftp://app.example',
    'a b',
    'u@h',
    'h:x',
    'h:65536',
    '[::1',
    'https://*.example',
  ])('%j is none', (entry) => expect(readAllowedOrigin(entry)).toBe(null))
})

describe('an origin', () => {
  it.each([
    ['https://evals.example', true],
    ['https://evals.example:8443', true],
    ['http://evals.example', true],
    ['https://app.example', true],
    ['http://app.example', false],
    ['http://tool.example:81', true],
    ['http://tool.example', false],
    ['http://plain.example', true],
    ['http://plain.example:80', true],
    ['https://plain.example', false],
    ['http://localhost', false],
    ['http://127.0.0.1', false],
    ['https://evals.example.evil.example', false],
    ['https://xevals.example', false],
    ['https://evals.example@evil.example', false],
    ['null', false],
    ['', false],
    ['evals.example', false],
    ['chrome-extension://evals.example', false],
  ])('%s of a public URL and entries', (origin, isAllowed) => {
    const { admits, readerOf } = allowedOrigins(
      'https://evals.example',
      entries('https://app.example', 'tool.example:81', 'plain.example:80'),
    )
    expect([admits({ origin }), readerOf({ origin })]).toEqual([isAllowed, isAllowed ? origin : null])
    expect(admits({ referer: `${origin}/page?x#y` })).toBe(isAllowed)
  })

  it.each([
    ['http://localhost', true],
    ['https://localhost:5173', true],
    ['http://127.0.0.1:1', true],
    ['http://[::1]:1', true],
    ['http://127.0.0.2', false],
    ['http://localhost.evil.example', false],
    ['https://evals.example', false],
  ])('%s without a public URL and entries', (origin, isAllowed) => {
    expect(allowedOrigins(null, []).admits({ origin })).toBe(isAllowed)
  })

  it('with a port in the public URL has this port', () => {
    const { admits } = allowedOrigins('http://evals.example:8080', [])
    expect([
      admits({ origin: 'http://evals.example:8080' }),
      admits({ origin: 'https://evals.example:8080' }),
      admits({ origin: 'http://evals.example' }),
    ]).toEqual([true, true, false])
  })

  it('decides before the referer, and a request with neither passes', () => {
    const { admits, readerOf } = allowedOrigins(null, [])
    expect(admits({})).toBe(true)
    expect(readerOf({})).toBe(null)
    expect(admits({ origin: 'http://evil.example', referer: 'http://localhost/' })).toBe(false)
    expect(admits({ origin: 'http://localhost', referer: 'http://evil.example/' })).toBe(true)
    expect(readerOf({ referer: 'http://localhost/' })).toBe(null)
  })
})
