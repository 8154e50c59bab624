import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitLines } from '../../../interchange/read/lines.ts'

const chunksOf = async function* (bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const linesOf = async (text: string, size: number, limit = 1_000_000) => {
  const found = await Array.fromAsync(splitLines(chunksOf(Buffer.from(text), size), limit))
  return found.map(({ line, bytes }) => [line, bytes && Buffer.from(bytes).toString()])
}

describe('splitLines', () => {
  it('numbers all lines and skips blank ones, for any chunks', async () => {
    const line = fc.stringMatching(/^[a{"é \t]{0,8}$/)
    await fc.assert(
      fc.asyncProperty(
        fc.array(line),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 20 }),
        async (lines, end, size) => {
          const expected = lines.map((text, i) => [i + 1, text] as const).filter(([, text]) => text.trim() !== '')
          expect(await linesOf(lines.join(end), size)).toEqual(expected)
        },
      ),
    )
  })

  it('returns a line over the limit without its bytes and continues', async () => {
    expect(await linesOf('abc\nabcdefgh\nabcd\r\nabcde\nab', 3, 4)).toEqual([
      [1, 'abc'],
      [2, null],
      [3, 'abcd'],
      [4, null],
      [5, 'ab'],
    ])
  })

  it('counts neither a byte order mark nor the end of a line', async () => {
    for (const size of [1, 3, 100])
      expect(await linesOf('\ufeffabcd\r\n\ufeffabcde\n\ufeffabcd', size, 4)).toEqual([
        [1, 'abcd'],
        [2, null],
        [3, 'abcd'],
      ])
  })

  it('returns copies, so that a line can be transferred', async () => {
    const bytes = Buffer.from('one\ntwo')
    for await (const { bytes: line } of splitLines(chunksOf(bytes, 100), 10))
      expect(line?.buffer).not.toBe(bytes.buffer)
  })

  it('returns nothing for an empty stream', async () => expect(await linesOf('', 1)).toEqual([]))
})
