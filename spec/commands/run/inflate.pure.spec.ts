import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refused, type Reason } from '../../../commands/refused.ts'
import { inflate, MAX_BODY_BYTES, type Encoding } from '../../../commands/run/inflate.ts'

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

const encodings = [
  ['gzip', 'gzip', gzipSync],
  ['deflate in the zlib format', 'deflate', deflateSync],
  ['raw deflate', 'deflate', deflateRawSync],
] as const

describe('a body', () => {
  it('without an encoding is returned unchanged', () => expect(inflate(text, null)).toBe(text))

  it.each(encodings)('in %s is decoded at every level', (_, encoding, pack) =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), fc.integer({ min: 0, max: 9 }), (raw, level) => {
        expect(Buffer.from(inflate(pack(raw, { level }), encoding))).toEqual(Buffer.from(raw))
      }),
      { numRuns: 40 },
    ),
  )

  it.each(encodings)('in %s is a bad request if truncated anywhere', (_, encoding, pack) => {
    const packed = pack(text)
    for (let length = 0; length < packed.length; length++)
      expect({ length, reason: reasonOf(packed.subarray(0, length), encoding) }).toEqual({
        length,
        reason: 'bad_request',
      })
  })

  it.each(encodings)('in %s is a bad request with bytes after its end', (_, encoding, pack) => {
    for (const suffix of ['x', '\0', '\0x', 'garbage'.repeat(100_000)])
      expect(reasonOf(Buffer.concat([pack(text), Buffer.from(suffix)]), encoding)).toBe('bad_request')
  })

  it('in several gzip streams is decoded whole', () =>
    expect(Buffer.from(inflate(Buffer.concat([gzipSync('a'), gzipSync('b')]), 'gzip')).toString()).toBe('ab'))

  it.each([
    ['gzip', text],
    ['gzip', deflateSync(text)],
    ['deflate', Buffer.from([0xff, 0xff, 0xff])],
    ['deflate', Buffer.from([0x78, 0x9c, 0xff, 0xff])],
  ] as const)('that is not %s as declared is a bad request', (encoding, body) =>
    expect(reasonOf(body, encoding)).toBe('bad_request'),
  )

  it('has at most 64 MiB', () => {
    const largest = Buffer.alloc(MAX_BODY_BYTES)
    const tooLarge = Buffer.alloc(MAX_BODY_BYTES + 1)
    expect(reasonOf(largest, null)).toBeNull()
    expect(reasonOf(tooLarge, null)).toBe('too_large')
    expect(inflate(gzipSync(largest, { level: 1 }), 'gzip')).toHaveLength(MAX_BODY_BYTES)
    for (const [, encoding, pack] of encodings)
      expect(reasonOf(pack(tooLarge, { level: 1 }), encoding)).toBe('too_large')
  })
})
