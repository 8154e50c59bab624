import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientAddress, isProxyRange, trustedProxies } from '../../../http/identity/client-address.ts'

const proxies = trustedProxies(['10.0.0.0/8', '192.0.2.1', '2001:db8:ffff::/48'])

describe('the address of a client', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    [undefined, null],
    ['a socket', null],
  ])('is the normalized address of the socket (%s)', (socket, expected) => {
    expect(clientAddress(null, socket, undefined)).toBe(expected)
    expect(clientAddress(proxies, socket, undefined)).toBe(expected)
  })

  it('is the address of the socket when no proxy is trusted', () =>
    expect(clientAddress(trustedProxies([]), '10.0.0.1', '203.0.113.7')).toBe('10.0.0.1'))
  it('is the address of the socket when the socket is not a trusted proxy', () =>
    expect(clientAddress(proxies, '203.0.113.9', '203.0.113.7')).toBe('203.0.113.9'))

  it.each([
    ['the address that the proxy adds', '203.0.113.7', '203.0.113.7'],
    ['the last address that is not a trusted proxy', '198.51.100.1, 203.0.113.7, 10.2.3.4, 192.0.2.1', '203.0.113.7'],
    ['not an address that the client claims', '10.0.0.9, 127.0.0.1, 203.0.113.7', '203.0.113.7'],
    ['an address in its normal spelling', '::FFFF:203.0.113.7', '203.0.113.7'],
    ['an IPv6 address', '2001:DB8:0::5, 2001:db8:ffff::2', '2001:db8::5'],
    ['an address with its port', '203.0.113.7:5000', '203.0.113.7'],
    ['an IPv6 address with its port', '[2001:db8::5]:5000', '2001:db8::5'],
    ['an IPv6 address in brackets', '[2001:db8::5]', '2001:db8::5'],
    ['the first of a chain of trusted proxies', '10.0.0.7, 10.0.0.8', '10.0.0.7'],
    ['the proxy itself if it forwards nothing', '', '10.0.0.1'],
    ['the proxy itself if it forwards no address', 'unknown', '10.0.0.1'],
    ['the proxy itself if it forwards half an address', '203.0.113', '10.0.0.1'],
    ['the proxy that added no address, not an earlier entry', '203.0.113.7, unknown, 10.0.0.2', '10.0.0.2'],
    ['the last address before empty entries', '203.0.113.7, , ,', '203.0.113.7'],
  ])('behind a trusted proxy is %s', (_, forwarded, expected) => {
    expect(clientAddress(proxies, '10.0.0.1', forwarded)).toBe(expected)
    expect(clientAddress(proxies, '::ffff:10.0.0.1', forwarded)).toBe(expected)
    expect(clientAddress(proxies, '10.0.0.1', forwarded.split(','))).toBe(expected)
  })

  it('is never taken from an untrusted client', () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())).map((parts) => parts.join(', ')),
        ),
        (claimed) => {
          expect(clientAddress(proxies, '203.0.113.9', claimed)).toBe('203.0.113.9')
          expect(clientAddress(proxies, '10.0.0.1', `${claimed}, 203.0.113.9`)).toBe('203.0.113.9')
          expect(isIP(clientAddress(proxies, '10.0.0.1', claimed) ?? '')).toBeGreaterThan(0)
        },
      ),
    ))
})

describe('trusted proxies', () => {
  it.each([
    '192.0.2.1',
    '10.0.0.0/8',
    '10.1.2.3/8',
    '0.0.0.0/0',
    '192.0.2.1/32',
    '::1',
    '2001:db8::/32',
    '::/0',
    '::ffff:192.0.2.0/120',
  ])('accept the range %s', (entry) => expect(isProxyRange(entry)).toBe(true))

  it.each([
    '',
    ' ',
    'localhost',
    '10.0.0',
    '10.0.0.256',
    '010.0.0.1',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/1e1',
    '::1/129',
    'fe80::1%eth0',
    '::ffff:192.0.2.0/90',
    '[::1]',
    '10.0.0.1:80',
    '*',
  ])('reject the range %j', (entry) => {
    expect(isProxyRange(entry)).toBe(false)
    expect(() => trustedProxies([entry])).toThrow(JSON.stringify(entry))
  })

  it('given as IPv4-mapped IPv6 match IPv4', () => {
    const mapped = trustedProxies(['::ffff:192.0.2.0/120'])
    expect(clientAddress(mapped, '192.0.2.77', '203.0.113.7')).toBe('203.0.113.7')
    expect(clientAddress(mapped, '192.0.3.77', '203.0.113.7')).toBe('192.0.3.77')
  })

  it('of all IPv4 addresses match no IPv6 address', () =>
    expect(clientAddress(trustedProxies(['0.0.0.0/0']), '2001:db8::1', '203.0.113.7')).toBe('2001:db8::1'))
})
