import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cacheKey, cachePath, isCacheKey, keyOfPath } from '../../../domain/cache/key.ts'

const hex = (digit: string): string => digit.repeat(64)

describe('a cache key', () => {
  it('is sha256: and 64 lower-case hex digits', () => expect(isCacheKey(`sha256:${hex('0')}`)).toBe(true))

  it.each([
    ['upper-case digits', `sha256:${hex('A')}`],
    ['63 digits', `sha256:${'0'.repeat(63)}`],
    ['65 digits', `sha256:${'0'.repeat(65)}`],
    ['a missing hash name', hex('0')],
    ['another hash', `blake3:${hex('0')}`],
    ['a line break at the end', `sha256:${hex('0')}\n`],
    ['nothing', ''],
  ])('is not %s', (_, text) => expect(isCacheKey(text)).toBe(false))
})

describe('the key of a call', () => {
  const body = {
    max_tokens: 4096,
    messages: [{ content: 'How long can I return order A-77?', role: 'user' }],
    model: 'm-small',
    temperature: 0,
  }
  const request = {
    transport: 'http',
    method: 'POST',
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body,
  }

  it('depends on request and repeat index', () =>
    expect(cacheKey({ request, repeat: 0 })).toBe(
      'sha256:17251b4632c2593f6ef75fa0adc9256b41bf8106b871f9601ba00f70178528d4',
    ))
  it('differs by repeat index', () =>
    expect(cacheKey({ request, repeat: 1 })).toBe(
      'sha256:6c3238c6527377a2f7465312ec139c0a9e80346cd177bec1c4434da229c45c52',
    ))
  it('differs by the salt of the case', () =>
    expect(cacheKey({ request, repeat: 0, case_salt: '2026-08' })).toBe(
      'sha256:32b8369e38ec7dceb30447564e387bfbccbf993563011e16eb1b72b80207a35d',
    ))
  it('depends on an empty salt', () =>
    expect(cacheKey({ request, repeat: 0, case_salt: '2026-08', provider_salt: '' })).toBe(
      'sha256:f59efc23954f363b694c40dfeb888997b5ffe5d31034f9103f93ea695e416d8d',
    ))

  it('includes a program with its input', () => {
    const stdin = {
      service: { protocol: 1, kind: 'provider' },
      prompt: { text: 'How long can I return it?' },
      params: {},
      vars: { order: 'A-77' },
    }
    const key = cacheKey({
      request: { transport: 'exec', command: 'node', args: ['bot.mjs'], stdin },
      repeat: 0,
      provider_salt: 'v2',
    })
    expect(key).toBe('sha256:8b3669b835969ff1ec1beba0bfea0a83cddd9558f11394e958e87a3f66c2fa57')
  })

  it('does not depend on the order of keys', () => {
    const reversed = Object.fromEntries(Object.entries(request).reverse())
    expect(cacheKey({ repeat: 0, request: reversed })).toBe(cacheKey({ request, repeat: 0 }))
  })
})

describe('the path of a key in a directory', () => {
  const key = fc.stringMatching(/^[0-9a-f]{64}$/).map((digits) => `sha256:${digits}`)

  it('maps back to the same key', () =>
    fc.assert(fc.property(key, (digest) => keyOfPath(cachePath(digest)) === digest)))

  it.each([
    'ab/cd.json',
    `00/${hex('1')}.json`,
    `00/${hex('0')}.tmp-1-1`,
    `00/${hex('0')}.json.bak`,
    `../00/${hex('0')}.json`,
    `00\\${hex('0')}.json`,
    `00/${hex('0')}.JSON`,
    '',
  ])('is not %j', (path) => expect(keyOfPath(path)).toBeNull())
})
