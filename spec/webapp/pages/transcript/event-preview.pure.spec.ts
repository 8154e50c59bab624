import { describe, expect, it } from 'vitest'
import { previewOf } from '../../../../webapp/pages/transcript/event-preview.ts'

const tool = (result: string, args: unknown = { command: 'npm test' }, cut?: true) => ({
  n: 1,
  event: { type: 'tool', arguments: args, result },
  ...(cut && { cut }),
})
const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i}`).join('\n')

describe('what the list shows of an event', () => {
  it('is its only argument as it is, else all in one line', () => {
    expect(previewOf(tool('ok'), false).lead).toBe('npm test')
    expect(previewOf(tool('ok', { path: 'a', lines: [1, 2] }), false).lead).toBe('{ "path": "a", "lines": [ 1, 2 ] }')
  })

  it('is eight lines of a result, and how much is folded', () => {
    expect(previewOf(tool(lines(8)), false)).toMatchObject({ text: lines(8), more: '' })
    expect(previewOf(tool(lines(1_212)), false)).toMatchObject({ text: lines(8), more: '1,204 more lines' })
  })

  it('is little of a long line', () => {
    const preview = previewOf(tool('a'.repeat(5_000)), false)
    expect([preview.text.length, preview.more]).toEqual([1_200, '3,800 more characters'])
  })

  it('unfolded is all of it, or says that the event has more', () => {
    expect(previewOf(tool(lines(300)), true)).toMatchObject({ text: lines(300), isCut: false })
    expect(previewOf(tool(lines(500)), true)).toMatchObject({ text: lines(400), isCut: true })
    expect(previewOf(tool(lines(3), {}, true), true)).toMatchObject({ text: lines(3), isCut: true })
  })
})
