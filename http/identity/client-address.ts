import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net'

// We do not use `proxy-addr` with `ipaddr.js`, because they accept `10.0.0`, octal parts, netmasks and names as ranges,
// reject `/0`, and return text that is no address (`unknown`, or an address with its port).

/** The proxies whose X-Forwarded-For is trusted; null if there are none. */
export type TrustedProxies = BlockList | null

type Range = { readonly address: string; readonly prefix: number; readonly family: 'ipv4' | 'ipv6' }

const MAPPED = '::ffff:'

/**
 * Returns the same text for all spellings of an address: IPv6 in its shortest form, IPv4 inside IPv6 as IPv4, without a
 * zone. Null if the text is not an address.
 */
const normalized = (text: string): string | null => {
  const family = isIP(text)
  if (family === 0) return null
  if (family === 4) return text
  const { address } = new SocketAddress({ address: text, family: 'ipv6' })
  const inner = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : ''
  return isIPv4(inner) ? inner : address
}

const proxyRange = (entry: string): Range | null => {
  const [, text = '', length] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const address = normalized(text)
  if (address === null) return null
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  const bits = family === 'ipv4' ? 32 : 128
  // If an IPv4 address is written as IPv6, its prefix length also counts the 96 bits before the address.
  const prefix = length === undefined ? bits : Number(length) - (family === 'ipv4' && text.includes(':') ? 96 : 0)
  return prefix >= 0 && prefix <= bits ? { address, prefix, family } : null
}

/** Whether a text is an IP address or a CIDR range. */
export const isProxyRange = (entry: string): boolean => proxyRange(entry) !== null

/** Parses addresses and CIDR ranges of proxies. Throws for an entry that is neither. */
export const trustedProxies = (entries: readonly string[]): TrustedProxies => {
  if (entries.length === 0) return null
  const list = new BlockList()
  for (const entry of entries) {
    const range = proxyRange(entry)
    if (!range) throw new Error(`${JSON.stringify(entry)} is not an IP address or CIDR range`)
    list.addSubnet(range.address, range.prefix, range.family)
  }
  return list
}

/**
 * Returns the address of the client. Each trusted proxy appends the address of its own client to X-Forwarded-For. So
 * this starts at the socket and reads the header from right to left, as long as the current address is trusted. Entries
 * further left may be invented by the client, so they are ignored. Everything to the left of an entry that is not an
 * address is ignored too. Null if there is no socket.
 */
export const clientAddress = (
  trusted: TrustedProxies,
  socketAddress: string | undefined,
  forwardedFor: string | readonly string[] | undefined,
): string | null => {
  let address = socketAddress === undefined ? null : normalized(socketAddress)
  if (trusted === null || address === null || forwardedFor === undefined) return address
  const entries = [forwardedFor]
    .flat()
    .join(',')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  while (trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')) {
    const next = normalized(withoutPort(entries.pop() ?? ''))
    if (next === null) break
    address = next
  }
  return address
}

/** Some proxies add the port: `192.0.2.1:5000`, `[2001:db8::1]:5000`. */
const withoutPort = (entry: string): string => {
  const [, bracketed, plain] = /^(?:\[([^[\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(entry) ?? []
  return bracketed ?? plain ?? entry
}
