import { BlockList, isIP, isIPv4 } from 'node:net'

// Where deliveries may be sent. A webhook makes the service send requests to an address that a user chooses, so every
// address that is not of the public internet is refused unless the operator allows it (OWASP, server-side request forgery).

/** Ranges without public hosts: the special-purpose registry of IANA (RFC 6890), and multicast. */
const REFUSED_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

/**
 * Ranges of 2000::/3 without public hosts, among them 6to4 and Teredo, which contain IPv4 addresses. All of IPv6 outside of
 * 2000::/3 is refused: loopback, link-local, unique local, multicast, IPv4-mapped and NAT64 addresses.
 */
const REFUSED_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

const refused = new BlockList()
for (const [address, prefix] of REFUSED_IPV4) refused.addSubnet(address, prefix, 'ipv4')
for (const [address, prefix] of REFUSED_IPV6) refused.addSubnet(address, prefix, 'ipv6')
const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')

/** Whether an IP address is one of the public internet. */
export const isPublicAddress = (address: string): boolean => {
  if (isIPv4(address)) return !refused.check(address, 'ipv4')
  // A zone is of a link-local address.
  return (
    isIP(address) === 6 && !address.includes('%') && global.check(address, 'ipv6') && !refused.check(address, 'ipv6')
  )
}

/** The hosts and addresses that `SERVICE_WEBHOOK_ALLOW` names. */
export type AllowedTargets = {
  /** Names in lower case, without a final dot. */
  readonly hosts: readonly string[]
  /** Addresses and CIDR ranges. */
  readonly ranges: readonly string[]
}

export const NO_TARGETS: AllowedTargets = { hosts: [], ranges: [] }

const RANGE = /^([^/%]+)(?:\/(\d{1,3}))?$/
const HOST = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/

type Range = { readonly address: string; readonly prefix: number; readonly family: 'ipv4' | 'ipv6' }

const targetRange = (entry: string): Range | null => {
  const [, address = '', length] = RANGE.exec(entry) ?? []
  const version = isIP(address)
  if (version === 0) return null
  const bits = version === 4 ? 32 : 128
  const prefix = length === undefined ? bits : Number(length)
  return prefix <= bits ? { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' } : null
}

/** Reads one entry of the list: a host name, an IP address or a CIDR range. Null for anything else. */
export const readAllowedTarget = (entry: string): { readonly kind: 'host' | 'range'; readonly text: string } | null => {
  if (targetRange(entry)) return { kind: 'range', text: entry }
  const host = entry.toLowerCase().replace(/\.$/, '')
  // A name of digits and dots alone would be read as an address by some resolvers.
  return HOST.test(host) && !/^[\d.]+$/.test(host) ? { kind: 'host', text: host } : null
}

/** Whether addresses are in the allowed ranges. Throws for a range that `readAllowedTarget` does not read. */
const inRanges = ({ ranges }: AllowedTargets, address: string): boolean => {
  const list = new BlockList()
  for (const entry of ranges) {
    const range = targetRange(entry)
    if (!range) throw new Error(`${JSON.stringify(entry)} is neither an address nor a range`)
    list.addSubnet(range.address, range.prefix, range.family)
  }
  return isIP(address) !== 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/** The host of a URL without the brackets of IPv6 and without a final dot. */
const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

const isAllowedHost = (allowed: AllowedTargets, url: URL): boolean => {
  const host = bareHost(url)
  return allowed.hosts.includes(host) || inRanges(allowed, host)
}

/**
 * Whether a URL names a port that receivers of webhooks do not use. System ports belong to mail servers and other programs
 * that a request could make act.
 */
const hasSystemPort = ({ port }: URL): boolean => port !== '' && port !== '80' && port !== '443' && Number(port) < 1024

/** The maximum length of a URL. */
export const MAX_URL_CHARACTERS = 2000

/**
 * What is wrong with the URL of a webhook, or null. Names are not resolved here: `refusedAddress` checks what they resolve
 * to each time something is sent.
 */
export const urlProblem = (text: string, allowed: AllowedTargets): string | null => {
  if (text.length > MAX_URL_CHARACTERS) return `must have at most ${MAX_URL_CHARACTERS} characters`
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'must be an https URL'
  if (url.username !== '' || url.password !== '') return 'must contain no user name and no password'
  if (url.hash !== '' || text.includes('#')) return 'must have no fragment'
  if (url.protocol === 'http:' && !isAllowedHost(allowed, url))
    return 'must be an https URL: http is only for hosts that SERVICE_WEBHOOK_ALLOW names'
  if (hasSystemPort(url) && !isAllowedHost(allowed, url))
    return 'must have the port 80, 443 or one above 1023, unless SERVICE_WEBHOOK_ALLOW names the host'
  const host = bareHost(url)
  if (isIP(host) !== 0 && !isPublicAddress(host) && !inRanges(allowed, host))
    return 'must not be an address of a private network, unless SERVICE_WEBHOOK_ALLOW names it'
  return null
}

/** The first of the addresses of a URL's host to which nothing may be sent; null if all are fine. */
export const refusedAddress = (url: URL, addresses: readonly string[], allowed: AllowedTargets): string | null =>
  allowed.hosts.includes(bareHost(url))
    ? null
    : (addresses.find((address) => (hasSystemPort(url) || !isPublicAddress(address)) && !inRanges(allowed, address)) ??
      null)
