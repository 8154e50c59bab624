import { describe, expect, it } from 'vitest'
import { isLargePicture, pictureSize } from '../../../domain/evidence/picture-size.ts'

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const u16 = (value: number): number[] => [value >> 8, value & 0xff]
const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value & 0xffff)]
const le16 = (value: number): number[] => u16(value).toReversed()
const text = (value: string): number[] => [...Buffer.from(value, 'latin1')]
const box = (size: readonly [number, number]): number[] => [
  ...u32(20),
  ...text('ispe'),
  ...u32(0),
  ...u32(size[0]),
  ...u32(size[1]),
]

const PICTURES: ReadonlyArray<
  readonly [name: string, type: string, bytes: readonly number[], size: readonly [number, number]]
> = [
  ['a PNG', 'image/png', [...PNG, ...u32(13), ...text('IHDR'), ...u32(40_000), ...u32(30_000)], [40_000, 30_000]],
  [
    'a JPEG with a preview before its frame',
    'image/jpeg',
    [
      0xff,
      0xd8,
      0xff,
      0xe1,
      ...u16(302),
      ...Array.from({ length: 300 }, () => 0xff),
      0xff,
      0xff,
      0xc2,
      ...u16(11),
      8,
      ...u16(600),
      ...u16(800),
    ],
    [800, 600],
  ],
  [
    'a GIF',
    'image/gif',
    [...text('GIF89a'), ...le16(10), ...le16(20), 0, 0, 0, 0x2c, ...le16(0), ...le16(0), ...le16(5), ...le16(6)],
    [10, 20],
  ],
  [
    'a GIF whose picture is larger than its screen, after a table and a comment',
    'image/gif',
    [
      ...text('GIF89a'),
      ...le16(1),
      ...le16(1),
      0x80,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0x21,
      0xfe,
      2,
      1,
      1,
      0,
      0x2c,
      ...le16(1),
      ...le16(0),
      ...le16(40_000),
      ...le16(40_000),
    ],
    [40_001, 40_000],
  ],
  [
    'a WebP with loss',
    'image/webp',
    [...text('RIFF____WEBPVP8 '), 0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, ...le16(640), ...le16(480)],
    [640, 480],
  ],
  [
    'a WebP without loss',
    'image/webp',
    [...text('RIFF____WEBPVP8L'), 0, 0, 0, 0, 0x2f, 0xff, 0xc0, 0x3f, 0],
    [256, 256],
  ],
  [
    'a WebP with features',
    'image/webp',
    [...text('RIFF____WEBPVP8X'), 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x3f, 0, 0xff, 0x1f, 0],
    [16_384, 8_192],
  ],
  [
    'an AVIF of several pictures',
    'image/avif',
    [...u32(28), ...text('ftypavif'), ...box([64, 64]), ...box([4_000, 3_000])],
    [4_000, 3_000],
  ],
]

describe('the size of a picture', () => {
  it.each(PICTURES)('of %s is in its first bytes', (_name, type, bytes, [width, height]) => {
    expect(pictureSize(type, Uint8Array.from([...bytes, ...Array.from({ length: 64 }, () => 0)]))).toEqual({
      width,
      height,
    })
  })

  it.each(PICTURES)('of %s that is cut anywhere is unknown, or a size', (_name, type, bytes) => {
    for (let length = 0; length < bytes.length; length++) {
      const size = pictureSize(type, Uint8Array.from(bytes.slice(0, length)))
      expect(size === null || size.width >= 0).toBe(true)
    }
  })

  it('decides whether it is drawn at once', () => {
    const of = (width: number, height: number) => ({ width, height })
    expect(isLargePicture('image/png', 1_000, of(40_000, 40_000))).toBe(true)
    expect(isLargePicture('image/png', 1_000, of(8_000, 6_000))).toBe(false)
    expect(isLargePicture('image/png', 21 * 1024 * 1024, of(10, 10))).toBe(true)
    expect(isLargePicture('image/jpeg', 1_000, null)).toBe(true)
    expect(isLargePicture('image/svg+xml', 1_000, null)).toBe(false)
  })
})
