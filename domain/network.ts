/**
 * The network of one client: an IPv4 address itself, or the first 64 bits of an IPv6 address. One host can use any
 * address of its network.
 */
export const networkOf = (address: string): string => {
  if (!address.includes(':')) return address
  const [left = [], right = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`
}
