import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findUnknownHost, isCrossOrigin } from '../../../http/identity/cross-origin.ts'

type CheckedRequest = Parameters<typeof isCrossOrigin>[0]
const aRequest = (fields: Partial<CheckedRequest>): CheckedRequest => ({
  method: 'POST',
  site: undefined,
  origin: undefined,
  referer: undefined,
  host: 'internal:8321',
  publicUrl: 'https://results.example',
  ...fields,
})

describe('a request without an Authorization header', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('that only reads (%s) may come from any site', (method) =>
    expect(isCrossOrigin(aRequest({ method, origin: 'https://evil.example' }))).toBe(false),
  )

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY', 'post'])(
    'that may write (%s) must come from this site',
    (method) => {
      expect(isCrossOrigin(aRequest({ method, origin: 'https://evil.example' }))).toBe(true)
      expect(isCrossOrigin(aRequest({ method, origin: 'https://results.example' }))).toBe(false)
    },
  )

  it.each([
    ['no origin and no referer', {}],
    ['the public origin', { origin: 'https://results.example' }],
    ['the public origin in other case', { origin: 'HTTPS://Results.Example' }],
    ['the public origin with its port', { origin: 'https://results.example:443' }],
    ['the requested host', { origin: 'http://internal:8321' }],
    ['the requested host in other case', { origin: 'http://INTERNAL:8321', host: 'Internal:8321' }],
    [
      'the requested host, where only one side has the default port',
      { origin: 'https://internal', host: 'internal:443' },
    ],
    ['the requested host as an IPv6 address', { origin: 'http://[::1]:8321', host: '[::1]:8321' }],
    ['a referer on this site', { referer: 'https://results.example/runs/1?a=b' }],
    ['a referer on this site, without a path', { referer: 'https://results.example' }],
    [
      'an origin of this site, whatever the referer',
      { origin: 'https://results.example', referer: 'https://evil.example/' },
    ],
    ['the requested host, with no public URL', { origin: 'http://internal:8321', publicUrl: null }],
    ['the public origin, with no host', { origin: 'https://results.example', host: undefined }],
  ])('is accepted with %s', (_, fields) => expect(isCrossOrigin(aRequest(fields))).toBe(false))

  it.each([
    ['an opaque origin', { origin: 'null' }],
    ['an empty origin', { origin: '' }],
    ['an opaque origin, whatever the referer', { origin: 'null', referer: 'https://results.example/' }],
    ['another origin, whatever the referer', { origin: 'https://evil.example', referer: 'https://results.example/' }],
    ['another referer', { referer: 'https://evil.example/https://results.example/' }],
    ['a referer without a host', { referer: '/runs' }],
    ['another port', { origin: 'http://internal:8322' }],
    ['the default port when another port was requested', { origin: 'http://internal' }],
    ['a subdomain', { origin: 'https://a.results.example' }],
    ['a parent domain', { origin: 'https://example' }],
    ['a longer domain', { origin: 'https://results.example.evil' }],
    ['this site as a user name', { origin: 'https://results.example@evil.example' }],
    ['this site with its port as a user name', { origin: 'https://results.example:443@evil.example' }],
    ['this site before a backslash', { origin: 'https://evil.example\\results.example' }],
    ['a backslash after this site', { origin: 'https://results.example\\@evil.example' }],
    ['two origins', { origin: 'https://results.example, https://evil.example' }],
    ['one slash', { origin: 'https:/results.example' }],
    ['no scheme', { origin: 'results.example' }],
    ['the file scheme', { origin: 'file://results.example' }],
    ['no host', { origin: 'https://' }],
    ['an invalid host', { origin: 'https://results.example:port' }],
    [
      'another origin, with no host and no public URL',
      { origin: 'https://results.example', host: undefined, publicUrl: null },
    ],
    ['the public origin, with no public URL', { origin: 'https://results.example', publicUrl: null }],
    ['a Host header with a path', { origin: 'https://internal', host: 'internal/a' }],
  ])('is rejected with %s', (_, fields) => expect(isCrossOrigin(aRequest(fields))).toBe(true))

  it.each(['cross-site', 'Cross-Site', ' cross-site '])(
    'is rejected when the browser says %j, whatever its other headers',
    (site) => {
      for (const fields of [
        {},
        { origin: 'https://results.example' },
        { referer: 'https://results.example/' },
        { origin: 'http://internal:8321' },
      ])
        expect(isCrossOrigin(aRequest({ site, ...fields }))).toBe(true)
      for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(isCrossOrigin(aRequest({ site, method }))).toBe(false)
    },
  )

  it('is accepted when the browser says same-origin, even if a proxy changed the host', () => {
    for (const fields of [
      {},
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
      { referer: 'https://elsewhere.example/' },
      { host: undefined, publicUrl: null, origin: 'https://x.example' },
    ]) {
      expect(isCrossOrigin(aRequest({ site: 'same-origin', ...fields }))).toBe(false)
    }
  })

  it('is rejected when the browser says same-site and nothing says which page it was', () =>
    expect(isCrossOrigin(aRequest({ site: 'same-site' }))).toBe(true))

  it.each(['none', '', 'x', 'cross-site, same-origin', 'same-origin, cross-site', 'same-origins'])(
    'is judged by its origin when the browser says %j',
    (site) => {
      expect(isCrossOrigin(aRequest({ site, origin: 'https://a.results.example' }))).toBe(true)
      expect(isCrossOrigin(aRequest({ site, origin: 'https://results.example' }))).toBe(false)
      expect(isCrossOrigin(aRequest({ site, referer: 'https://evil.example/' }))).toBe(true)
      expect(isCrossOrigin(aRequest({ site }))).toBe(false)
    },
  )

  it('is accepted with a random origin only if that is the requested host or the public host', () =>
    fc.assert(
      fc.property(fc.webAuthority({ withIPv4: true }), fc.constantFrom('http', 'https'), (authority, scheme) => {
        const isOwnHost = ['internal:8321', 'results.example'].includes(authority.toLowerCase())
        expect(isCrossOrigin(aRequest({ origin: `${scheme}://${authority}` }))).toBe(!isOwnHost)
        expect(isCrossOrigin(aRequest({ origin: `http://${authority}`, host: authority }))).toBe(false)
      }),
    ))

  it('never causes an error, with any headers', () =>
    fc.assert(
      fc.property(
        fc.string(),
        fc.option(fc.string(), { nil: undefined }),
        fc.option(fc.string(), { nil: undefined }),
        (origin, referer, host) => {
          expect(isCrossOrigin(aRequest({ origin, referer, host }))).toBeTypeOf('boolean')
        },
      ),
    ))
})

describe('the host of a browser that needs no credential', () => {
  const PUBLIC = 'https://results.example'
  const NONE = { site: undefined, origin: undefined, referer: undefined }

  it.each([
    ['localhost', 'localhost:8321'],
    ['localhost with a final dot', 'localhost.:8321'],
    ['an IPv4 address', '192.0.2.7:8321'],
    ['an IPv6 address', '[2001:db8::7]:8321'],
    ['a name of one label', 'evals:8321'],
    ['a name of one label in capitals', 'EVALS'],
    ['the public host', 'results.example'],
    ['the public host in other case and with a port', 'Results.Example:8443'],
    ...['localhost', 'internal', 'local', 'lan', 'home.arpa', 'corp', 'test'].map((suffix) => [
      `a name under .${suffix}`,
      `evals.team.${suffix}`,
    ]),
  ])('is known if it is %s', (_, host) => {
    expect(findUnknownHost({ ...NONE, origin: `http://${host}`, host }, PUBLIC)).toBeNull()
    expect(findUnknownHost({ ...NONE, origin: 'null', host }, PUBLIC)).toBeNull()
  })

  it.each([
    ['a name in public DNS', 'evil.example'],
    ['a name under the public one', 'a.results.example'],
    ['a name that contains an address', '127.0.0.1.nip.example'],
    ['a name that only ends like a private one', 'evil-internal.example'],
    ['a private suffix that is not the last part', 'evals.internal.example'],
    ['a suffix without its dot', 'evil.notlocal'],
    ['a name with a port that is none', 'localhost:port'],
  ])('is unknown if it is %s', (_, host) => {
    expect(findUnknownHost({ ...NONE, origin: `http://${host}`, host }, PUBLIC)).toBe(host)
    expect(findUnknownHost({ ...NONE, origin: 'null', host }, PUBLIC)).toBe(host)
  })

  it('is unknown without a public URL, even if it is the requested one', () =>
    expect(findUnknownHost({ ...NONE, origin: 'https://results.example', host: 'results.example' }, null)).toBe(
      'results.example',
    ))

  it('is unknown if a proxy replaced it and only the origin shows it', () =>
    expect(findUnknownHost({ ...NONE, origin: 'https://evil.example', host: '127.0.0.1:8321' }, PUBLIC)).toBe(
      'evil.example',
    ))

  it('is known if it is the public one, whatever a proxy requested', () =>
    expect(findUnknownHost({ ...NONE, origin: PUBLIC, host: 'upstream.example' }, PUBLIC)).toBeNull())

  it.each([undefined, '', 'a/b', 'localhost, evil.example'])(
    'is unknown for an opaque origin and the host %j',
    (host) => expect(findUnknownHost({ ...NONE, origin: 'null', host }, PUBLIC)).toBe(host ?? ''),
  )

  it.each([
    ['a referer', { referer: 'http://evil.example:8321/page' }],
    ['the relation of its page', { site: 'same-origin' }],
    ['both', { referer: 'http://evil.example:8321/page', site: 'same-origin' }],
  ])('is unknown if a browser sends %s and no origin', (_, fields) => {
    expect(findUnknownHost({ ...NONE, ...fields, host: 'evil.example:8321' }, PUBLIC)).toMatch(/^evil\.example/)
    expect(findUnknownHost({ ...NONE, ...fields, referer: undefined, host: 'localhost:8321' }, PUBLIC)).toBeNull()
  })

  it('is not checked for a client other than a browser', () =>
    expect(findUnknownHost({ ...NONE, origin: undefined, host: 'results.elsewhere.example' }, null)).toBeNull())
})
