import { describe, expect, it } from 'vitest'
import { readByteRange, readContentRange } from '../../../domain/evidence/byte-range.ts'

describe('a range of bytes', () => {
  it.each([
    ['bytes=0-9', { from: 0, to: 10 }],
    ['bytes=90-', { from: 90, to: 100 }],
    ['bytes=-5', { from: 95, to: 100 }],
    ['bytes=-500', { from: 0, to: 100 }],
    ['bytes=99-500', { from: 99, to: 100 }],
    ['BYTES= 1-1 ', { from: 1, to: 2 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-4', null],
    ['bytes=0-1,5-6', null],
    ['bytes=-', null],
    ['lines=0-1', null],
    [undefined, null],
  ] as const)('%s of 100 is %o', (header, range) => expect(readByteRange(header, 100)).toEqual(range))

  it('of nothing has no byte', () => expect(readByteRange('bytes=0-', 0)).toBe('unsatisfiable'))
})

describe('the range of a piece', () => {
  it.each([
    ['bytes 0-9/10', { from: 0, to: 10, total: 10 }],
    ['bytes 5-5/10', { from: 5, to: 6, total: 10 }],
    ['bytes 5-10/10', null],
    ['bytes 5-4/10', null],
    ['bytes */10', null],
    ['bytes 0-9/*', null],
    ['0-9/10', null],
  ])('%s is %o', (header, range) => expect(readContentRange(header)).toEqual(range))
})
