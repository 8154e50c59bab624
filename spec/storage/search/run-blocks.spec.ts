import { describe, expect, it } from 'vitest'
import { spanTokens } from '../../../storage/search/run-blocks.ts'

const shared = (a: number, b: number): number => spanTokens(a).filter((token) => spanTokens(b).includes(token)).length

describe('block tokens', () => {
  it('are one token per block size', () =>
    expect(spanTokens(0x123456)).toEqual(
      ['r6.18641', 'r8.4660', 'r10.1165', 'r12.291', 'r14.72', 'r16.18', 'r18.4', 'r20.1'].map(
        (text) => `\u{e000}${text}`,
      ),
    ))
  it('are shared by runs with close numbers', () =>
    expect([shared(0, 63), shared(63, 64), shared(255, 256), shared(4095, 4096), shared(0, 2 ** 20)]).toEqual([
      8, 7, 6, 4, 0,
    ]))
  it('work for numbers beyond 32 bits', () => expect(spanTokens(2 ** 33)[7]).toBe('\u{e000}r20.8192'))
})
