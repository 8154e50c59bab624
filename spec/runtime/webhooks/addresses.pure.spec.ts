import { describe, expect, it } from 'vitest'
import {
  isPublicAddress,
  NO_TARGETS,
  readAllowedTarget,
  refusedAddress,
  urlProblem,
} from '../../../runtime/webhooks/addresses.ts'

const PUBLIC = [
  '1.1.1.1',
  '9.255.255.255',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.0.1',
  '172.32.0.1',
  '192.169.0.1',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450::1',
  '2001:4860:4860::8888',
]
const REFUSED = [
  // "This" network, private, shared (CGNAT), loopback, link-local with the metadata of clouds, IETF, documentation.
  '0.0.0.0',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.9',
  // Multicast, reserved, broadcast.
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:a9fe:a9fe',
  '::127.0.0.1',
  '64:ff9b::8.8.8.8',
  '64:ff9b::a00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::',
  '3fff::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '5f00::1',
  // No address at all.
  'localhost',
  '',
  '1.1.1',
  '256.1.1.1',
]

describe('an address', () => {
  it.each(PUBLIC)('%s is public', (address) => expect(isPublicAddress(address)).toBe(true))
  it.each(REFUSED)('%s is refused', (address) => expect(isPublicAddress(address)).toBe(false))
})

const allowed = {
  hosts: ['hooks.internal', 'xn--bcher-kva.internal'],
  ranges: ['10.1.0.0/16', 'fd00::/8', '127.0.0.1'],
}

describe('a URL', () => {
  const HTTPS = 'must be an https URL'
  const HTTP = 'must be an https URL: http is only for hosts that SERVICE_WEBHOOK_ALLOW names'
  const PRIVATE = 'must not be an address of a private network, unless SERVICE_WEBHOOK_ALLOW names it'
  const PORT = 'must have the port 80, 443 or one above 1023, unless SERVICE_WEBHOOK_ALLOW names the host'
  it.each([
    ['https://hooks.example:443/', null],
    ['https://hooks.example:80/', null],
    ['https://hooks.example:1024/', null],
    ['https://hooks.example:1023/', PORT],
    ['https://hooks.example:25/', PORT],
    ['https://hooks.example:0/', PORT],
    ['https://1.1.1.1:22/', PORT],
    ['https://hooks.example/a?b=c', null],
    ['https://1.1.1.1:8443/', null],
    // Names are checked when they are resolved.
    ['https://localhost/', null],
    ['http://hooks.example/', HTTP],
    ['http://1.1.1.1/', HTTP],
    ['https://127.0.0.1/', PRIVATE],
    ['https://127.1/', PRIVATE],
    ['https://2130706433/', PRIVATE],
    ['https://0x7f.0.0.1/', PRIVATE],
    ['https://0177.0.0.1/', PRIVATE],
    ['https://169.254.169.254/latest/meta-data', PRIVATE],
    ['https://[::1]/', PRIVATE],
    ['https://[::ffff:127.0.0.1]/', PRIVATE],
    ['https://[64:ff9b::7f00:1]/', PRIVATE],
    ['https://10.0.0.1./', PRIVATE],
    ['https://user@hooks.example/', 'must contain no user name and no password'],
    ['https://:pass@hooks.example/', 'must contain no user name and no password'],
    ['https://hooks.example/#part', 'must have no fragment'],
    ['ftp://hooks.example/', HTTPS],
    ['file:///etc/passwd', HTTPS],
    ['data:text/plain,x', HTTPS],
    ['hooks.example', HTTPS],
    ['', HTTPS],
    [`https://hooks.example/${'a'.repeat(2000)}`, 'must have at most 2000 characters'],
  ])('%s: %s', (url, problem) => expect(urlProblem(url, NO_TARGETS)).toBe(problem))

  it.each([
    ['http://hooks.internal/', null],
    ['http://HOOKS.internal.:8080/', null],
    ['http://bücher.internal/', null],
    ['http://10.1.2.3/', null],
    ['https://[fd00::1]/', null],
    ['http://127.0.0.1:9/', null],
    ['https://hooks.internal:25/', null],
    ['https://more.hooks.internal:25/', PORT],
    ['http://10.2.0.1/', HTTP],
    ['https://10.2.0.1/', PRIVATE],
    ['http://more.hooks.internal/', HTTP],
  ])('%s, with allowed hosts and ranges: %s', (url, problem) => expect(urlProblem(url, allowed)).toBe(problem))
})

describe('the addresses of a host', () => {
  const refused = (url: string, addresses: readonly string[]) => refusedAddress(new URL(url), addresses, allowed)
  it('are refused if one of them is not public, unless the host or the address is allowed', () => {
    expect(refused('https://hooks.example/', ['1.1.1.1', '2606:4700::1111'])).toBeNull()
    expect(refused('https://hooks.example/', ['1.1.1.1', '192.168.0.1'])).toBe('192.168.0.1')
    expect(refused('https://hooks.example/', ['10.1.0.9', 'fd00::5'])).toBeNull()
    expect(refused('https://hooks.internal/', ['192.168.0.1'])).toBeNull()
    expect(refused('https://HOOKS.internal./', ['192.168.0.1'])).toBeNull()
    expect(refused('https://x.hooks.internal/', ['192.168.0.1'])).toBe('192.168.0.1')
  })

  it('are refused for a port of the system, unless the host or the address is allowed', () => {
    expect(refused('https://hooks.example:25/', ['1.1.1.1'])).toBe('1.1.1.1')
    expect(refused('https://hooks.example:25/', ['10.1.0.9'])).toBeNull()
    expect(refused('https://hooks.internal:25/', ['192.168.0.1'])).toBeNull()
  })
})

it.each([
  ['hooks.internal', { kind: 'host', text: 'hooks.internal' }],
  ['Hooks.Internal.', { kind: 'host', text: 'hooks.internal' }],
  ['10.0.0.0/8', { kind: 'range', text: '10.0.0.0/8' }],
  ['127.0.0.1', { kind: 'range', text: '127.0.0.1' }],
  ['fd00::/8', { kind: 'range', text: 'fd00::/8' }],
  ['10.0.0.0/33', null],
  ['10.0.0', null],
  ['https://hooks.internal', null],
  ['hooks.internal:80', null],
  ['*.internal', null],
  ['a b', null],
])('the entry %s of the allowed targets is read as %o', (entry, read) => expect(readAllowedTarget(entry)).toEqual(read))
