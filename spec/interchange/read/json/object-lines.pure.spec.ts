import { describe, expect, it } from 'vitest'
import { newLosses } from '../../../../interchange/document/losses.ts'
import { objectLines } from '../../../../interchange/read/json/object-lines.ts'

const read = async (text: string) => {
  const losses = newLosses()
  const chunks = (async function* () {
    yield Buffer.from(text)
  })()
  const lines = await Array.fromAsync(objectLines(chunks, losses, 'row'))
  return { lines: lines.map(({ line, value }) => [line, value]), losses: losses.all() }
}

describe('objectLines', () => {
  it('reads objects with the numbers of their lines', async () => {
    const { lines, losses } = await read('{"a":1}\n\n{"b":2}\n')
    expect(lines).toEqual([
      [1, { a: 1 }],
      [3, { b: 2 }],
    ])
    expect(losses).toEqual([])
  })

  it.each(['{"a":1}\n{"b":', '{"a":1}\n[1]', '{"a":1}\nx\n\n'])(
    'leaves out a last line that is no object, and says so',
    async (text) => {
      const { lines, losses } = await read(text)
      expect(lines).toEqual([[1, { a: 1 }]])
      expect(losses).toMatchObject([{ kind: 'cut', path: '(last line)', note: 'cut off after 1 row' }])
    },
  )

  it('refuses another line that is no object', async () => {
    await expect(read('{"a":1}\n{"b":\n{"c":3}')).rejects.toThrow(/^line 2: not valid JSON/)
    await expect(read('1\n{"c":3}')).rejects.toThrow('line 1 is no object')
  })
})
