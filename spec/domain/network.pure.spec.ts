import { isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { networkOf } from '../../domain/network.ts'
import { clientAddress } from '../../http/identity/client-address.ts'

describe('the network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
  ])('of %s is %s', (address, network) => expect(networkOf(address)).toBe(network))

  it('is equal exactly for addresses with the same first 64 bits', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((n) => n.toString(16))
    const half = fc.array(fc.oneof(group, fc.constant('0')), { minLength: 4, maxLength: 4 })
    // As sockets report them: with the longest run of zeros omitted.
    const addressOf = (groups: readonly string[]): string => clientAddress(null, groups.join(':'), undefined) ?? ''
    fc.assert(
      fc.property(half, half, half, half, (a, b, c, d) => {
        fc.pre(isIPv6(addressOf([...a, ...b])) && isIPv6(addressOf([...c, ...d])) && isIPv6(addressOf([...a, ...d])))
        expect(networkOf(addressOf([...a, ...b]))).toBe(networkOf(addressOf([...a, ...d])))
        expect(networkOf(addressOf([...a, ...b])) === networkOf(addressOf([...c, ...d]))).toBe(a.join() === c.join())
      }),
    )
  })
})
