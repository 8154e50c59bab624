import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCrossOrigin } from '../../../http/identity/cross-origin.ts'

type Asked = Parameters<typeof isCrossOrigin>[0]
const asked = (given: Partial<Asked>): Asked => ({
  method: 'POST',
  site: undefined,
  origin: undefined,
  referer: undefined,
  host: 'internal:8321',
  publicUrl: 'https://results.example',
  ...given,
})

describe('a request with a cookie', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('that only reads (%s) may come from anywhere', (method) =>
    expect(isCrossOrigin(asked({ method, origin: 'https://evil.example' }))).toBe(false),
  )

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY', 'post'])(
    'that may write (%s) comes from this site',
    (method) => {
      expect(isCrossOrigin(asked({ method, origin: 'https://evil.example' }))).toBe(true)
      expect(isCrossOrigin(asked({ method, origin: 'https://results.example' }))).toBe(false)
    },
  )

  it.each([
    ['no origin and no referer', {}],
    ['the public origin', { origin: 'https://results.example' }],
    ['the public origin in other letters', { origin: 'HTTPS://Results.Example' }],
    ['the public origin with its port', { origin: 'https://results.example:443' }],
    ['the host that was asked', { origin: 'http://internal:8321' }],
    ['the host that was asked, in other letters', { origin: 'http://INTERNAL:8321', host: 'Internal:8321' }],
    [
      'the host that was asked, a default port told by one of both',
      { origin: 'https://internal', host: 'internal:443' },
    ],
    ['the host that was asked, an IPv6 address', { origin: 'http://[::1]:8321', host: '[::1]:8321' }],
    ['a referer on this site', { referer: 'https://results.example/runs/1?a=b' }],
    ['a referer on this site, without a path', { referer: 'https://results.example' }],
    [
      'an origin of this site, whatever the referer',
      { origin: 'https://results.example', referer: 'https://evil.example/' },
    ],
    ['the host that was asked, with no public URL', { origin: 'http://internal:8321', publicUrl: null }],
    ['the public origin, with no host', { origin: 'https://results.example', host: undefined }],
  ])('is let through with %s', (_, given) => expect(isCrossOrigin(asked(given))).toBe(false))

  it.each([
    ['an opaque origin', { origin: 'null' }],
    ['an empty origin', { origin: '' }],
    ['an opaque origin, whatever the referer', { origin: 'null', referer: 'https://results.example/' }],
    ['another origin, whatever the referer', { origin: 'https://evil.example', referer: 'https://results.example/' }],
    ['another referer', { referer: 'https://evil.example/https://results.example/' }],
    ['a referer without a host', { referer: '/runs' }],
    ['another port', { origin: 'http://internal:8322' }],
    ['the default port where another was asked', { origin: 'http://internal' }],
    ['a subdomain', { origin: 'https://a.results.example' }],
    ['a parent domain', { origin: 'https://example' }],
    ['a longer domain', { origin: 'https://results.example.evil' }],
    ['this site as a user name', { origin: 'https://results.example@evil.example' }],
    ['this site as a user name, port and all', { origin: 'https://results.example:443@evil.example' }],
    ['this site before a backslash', { origin: 'https://evil.example\\results.example' }],
    ['a backslash after this site', { origin: 'https://results.example\\@evil.example' }],
    ['two origins', { origin: 'https://results.example, https://evil.example' }],
    ['one slash', { origin: 'https:/results.example' }],
    ['no scheme', { origin: 'results.example' }],
    ['no page of the web', { origin: 'file://results.example' }],
    ['no host', { origin: 'https://' }],
    ['a host that is none', { origin: 'https://results.example:port' }],
    [
      'another origin, with no host and no public URL',
      { origin: 'https://results.example', host: undefined, publicUrl: null },
    ],
    ['the public origin, with no public URL', { origin: 'https://results.example', publicUrl: null }],
    ['a host that carries a path', { origin: 'https://internal', host: 'internal/a' }],
  ])('is refused with %s', (_, given) => expect(isCrossOrigin(asked(given))).toBe(true))

  it.each(['cross-site', 'Cross-Site', ' cross-site '])(
    'is refused where the browser says %j, whatever else it says',
    (site) => {
      for (const given of [
        {},
        { origin: 'https://results.example' },
        { referer: 'https://results.example/' },
        { origin: 'http://internal:8321' },
      ])
        expect(isCrossOrigin(asked({ site, ...given }))).toBe(true)
      for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(isCrossOrigin(asked({ site, method }))).toBe(false)
    },
  )

  it('is let through where the browser says same-origin, whatever a proxy made of its host', () => {
    for (const given of [
      {},
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
      { referer: 'https://elsewhere.example/' },
      { host: undefined, publicUrl: null, origin: 'https://x.example' },
    ]) {
      expect(isCrossOrigin(asked({ site: 'same-origin', ...given }))).toBe(false)
    }
  })

  it.each(['same-site', 'none', '', 'x', 'cross-site, same-origin', 'same-origin, cross-site', 'same-origins'])(
    'is judged by its origin where the browser says %j',
    (site) => {
      expect(isCrossOrigin(asked({ site, origin: 'https://a.results.example' }))).toBe(true)
      expect(isCrossOrigin(asked({ site, origin: 'https://results.example' }))).toBe(false)
      expect(isCrossOrigin(asked({ site, referer: 'https://evil.example/' }))).toBe(true)
      expect(isCrossOrigin(asked({ site }))).toBe(false)
    },
  )

  it('is let through only from the hosts there are, whatever is sent', () =>
    fc.assert(
      fc.property(fc.webAuthority({ withIPv4: true }), fc.constantFrom('http', 'https'), (authority, scheme) => {
        const isOurs = ['internal:8321', 'results.example'].includes(authority.toLowerCase())
        expect(isCrossOrigin(asked({ origin: `${scheme}://${authority}` }))).toBe(!isOurs)
        expect(isCrossOrigin(asked({ origin: `http://${authority}`, host: authority }))).toBe(false)
      }),
    ))

  it('never fails, whatever is sent', () =>
    fc.assert(
      fc.property(
        fc.string(),
        fc.option(fc.string(), { nil: undefined }),
        fc.option(fc.string(), { nil: undefined }),
        (origin, referer, host) => {
          expect(isCrossOrigin(asked({ origin, referer, host }))).toBeTypeOf('boolean')
        },
      ),
    ))
})
