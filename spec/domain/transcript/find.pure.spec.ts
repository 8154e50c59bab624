import { describe, expect, it } from 'vitest'
import { MAX_LINE_BYTES } from '../../../domain/transcript/event.ts'
import { lineFinder } from '../../../domain/transcript/find.ts'

const find = (q: string, text: string, size = 1024 * 1024): string[] => {
  const bytes = Buffer.from(text)
  const finder = lineFinder(q, 0)
  const offsets: number[] = []
  for (let at = 0; at < bytes.length; at += size) offsets.push(...finder.push(bytes.subarray(at, at + size)))
  offsets.push(...finder.end())
  return offsets.map((offset) => bytes.subarray(offset).toString().split('\n', 1)[0] ?? '')
}
const line = (value: unknown): string => JSON.stringify(value)

describe('a text in the lines of a transcript', () => {
  const lines = [
    line({ type: 'message', content: 'The LEAP rule' }),
    line({ type: 'leap', leap: 1 }),
    line({ type: 'tool', result: [{ text: 'a\nleap "year"' }] }),
    'no JSON with a Leap',
    line({ type: 'log', content: 'Straße É 1904 C:\\dir' }),
    String.raw`{"content":"\u006c\u0045ap \u00c9\u001b"}`,
    line({ n: 1904.5 }),
    '',
  ].join('\n')

  it.each([
    ['leap', [0, 1, 2, 3, 5]],
    ['LEAP RULE', [0]],
    ['a\nleap', [2]],
    ['leap "year"', [2]],
    ['é', [4, 5]],
    ['STRASSE', []],
    ['straße', [4]],
    ['c:\\dir', [4]],
    ['"', [2]],
    ['1904', [4, 6]],
    ['content', []],
    ['absent', []],
    ['{', []],
  ] as const)('%j is found in texts and numbers, and not in the names of members', (q, wanted) => {
    const all = lines.split('\n')
    expect(find(q, lines)).toEqual(wanted.map((i) => all[i]))
  })

  it('is found at any place of a long file', () => {
    const long = Array.from({ length: 30_000 }, (_, i) => line({ content: `word ${i} ${'x'.repeat(200)}` }))
    long[7] = line({ content: 'Needle' })
    long[19_999] = line({ content: 'needle' })
    for (const size of [1000, 262_144, 10_000_000])
      expect(find('needle', long.join('\n'), size)).toEqual([long[7], long[19_999]])
    expect(find('é', long.join('\n'))).toEqual([])
  })

  it('does not hold a line that is too long, and goes on after it', () => {
    const text = `${'x'.repeat(2 * MAX_LINE_BYTES)}needle\n${line({ content: 'needle' })}`
    expect(find('needle', text, 262_144)).toEqual([line({ content: 'needle' })])
  })
})
