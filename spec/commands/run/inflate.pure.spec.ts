import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refused } from '../../../commands/refused.ts'
import type { Reason } from '../../../commands/refused.ts'
import { inflate, MAX_BODY_BYTES } from '../../../commands/run/inflate.ts'
import type { Encoding } from '../../../commands/run/inflate.ts'

const text = Buffer.from('{"schema_version":3}')

const reasonOf = (body: Uint8Array, encoding: Encoding): Reason | null => {
  try {
    inflate(body, encoding)
    return null
  } catch (error) {
    if (error instanceof Refused) return error.reason
    throw error
  }
}

const ways = [
  ['gzip', 'gzip', gzipSync],
  ['deflate in the zlib format', 'deflate', deflateSync],
  ['bare deflate', 'deflate', deflateRawSync],
] as const

describe('a body', () => {
  it('without an encoding is taken as it came', () => expect(inflate(text, null)).toBe(text))

  it.each(ways)('in %s comes back whole, at every level', (_, encoding, pack) =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), fc.integer({ min: 0, max: 9 }), (raw, level) => {
        expect(Buffer.from(inflate(pack(raw, { level }), encoding))).toEqual(Buffer.from(raw))
      }),
      { numRuns: 40 },
    ),
  )

  it.each(ways)('in %s that is cut short anywhere is a bad request', (_, encoding, pack) => {
    const packed = pack(text)
    for (let length = 0; length < packed.length; length++)
      expect({ length, reason: reasonOf(packed.subarray(0, length), encoding) }).toEqual({
        length,
        reason: 'bad_request',
      })
  })

  it.each(ways)('in %s that something follows is a bad request', (_, encoding, pack) => {
    for (const more of ['x', '\0', '\0x', 'garbage'.repeat(100_000)])
      expect(reasonOf(Buffer.concat([pack(text), Buffer.from(more)]), encoding)).toBe('bad_request')
  })

  it('in several streams of gzip, one after the other, is all of them', () =>
    expect(Buffer.from(inflate(Buffer.concat([gzipSync('a'), gzipSync('b')]), 'gzip')).toString()).toBe('ab'))

  it.each([
    ['gzip', text],
    ['gzip', deflateSync(text)],
    ['deflate', Buffer.from([0xff, 0xff, 0xff])],
    ['deflate', Buffer.from([0x78, 0x9c, 0xff, 0xff])],
  ] as const)('that is not the %s it claims to be is a bad request', (encoding, body) =>
    expect(reasonOf(body, encoding)).toBe('bad_request'),
  )

  it('may take 64 MiB and not a byte more', () => {
    const most = Buffer.alloc(MAX_BODY_BYTES)
    const over = Buffer.alloc(MAX_BODY_BYTES + 1)
    expect(reasonOf(most, null)).toBeNull()
    expect(reasonOf(over, null)).toBe('too_large')
    expect(inflate(gzipSync(most, { level: 1 }), 'gzip')).toHaveLength(MAX_BODY_BYTES)
    for (const [, encoding, pack] of ways) expect(reasonOf(pack(over, { level: 1 }), encoding)).toBe('too_large')
  })
})
