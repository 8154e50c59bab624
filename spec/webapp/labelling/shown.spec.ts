import { expect, it } from 'vitest'
import { callWords, fieldWords, shownPart, shownValue } from '../../../webapp/labelling/shown/shown-value.ts'
import { inParts, textPieces } from '../../../webapp/labelling/shown/text-pieces.ts'

it('messages are a conversation, with calls by name and results by the tool that gave them', () => {
  const messages = [
    { role: 'user', content: 'Where is it?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', function: { name: 'find_order', arguments: '{"order_id":"A-7","deep":{"x":1}}' } }],
    },
    { role: 'tool', content: '{"found":true}', tool_call_id: 'c1' },
    { role: 'assistant', content: [{ type: 'text', text: 'In Lima.' }] },
  ]
  for (const value of [{ messages }, messages]) {
    const shown = shownValue(value)
    expect(shown).toMatchObject({
      kind: 'conversation',
      turns: [
        { role: 'user', texts: ['Where is it?'] },
        { role: 'assistant', texts: [], calls: [{ name: 'find_order' }] },
        { role: 'tool', answers: 'find_order' },
        { role: 'assistant', texts: ['In Lima.'] },
      ],
    })
    const [, asked] = shown.kind === 'conversation' ? shown.turns : []
    expect(callWords(asked!.calls[0]!)).toBe('find order: order id A-7, deep x=1')
  }
})

it.each([
  ['text', 'Hello', { kind: 'text', text: 'Hello' }],
  ['a prompt that is text', { text: 'Hello' }, { kind: 'text', text: 'Hello' }],
  ['nothing', null, { kind: 'text', text: '–' }],
  ['a truth', true, { kind: 'text', text: 'yes' }],
  ['an object', { city: 'Lima' }, { kind: 'facts', facts: [['city', 'Lima']] }],
  ['JSON in a text', '{"city":"Lima"}', { kind: 'facts', facts: [['city', 'Lima']] }],
  [
    'objects',
    [{ a: 1 }, { a: 2, b: 3 }],
    {
      kind: 'table',
      columns: ['a', 'b'],
      rows: [
        [1, undefined],
        [2, 3],
      ],
    },
  ],
  ['a list', ['a', 1], { kind: 'list', values: ['a', 1] }],
  ['no JSON', '[draft] Hello', { kind: 'text', text: '[draft] Hello' }],
])('%s is shown in its own way', (_name, value, shown) => {
  expect(shownValue(value)).toEqual(shown)
})

it('what has too many levels is JSON, and calls are calls in their own part alone', () => {
  const calls = [{ name: 'find', arguments: { a: 1 } }]
  expect(shownPart('tool_calls', calls).kind).toBe('calls')
  expect(shownPart('vars.calls', calls).kind).toBe('list')
  expect(shownValue({ a: 1 }, 4).kind).toBe('json')
  expect(fieldWords('reservation_idOf')).toBe('reservation id Of')
})

it('each piece of a text has its place in it, whatever is drawn in place of it', () => {
  const text = 'One\r\ntwo\u200b\u202ethree'
  const pieces = textPieces(text, [{ start: 5, end: 8, option: 'x' }])
  expect(pieces.map(({ start, end, marks }) => [start, end, marks])).toEqual([
    [0, 5, []],
    [5, 8, [0]],
    [8, 8, []],
    [8, 10, []],
    [10, 15, []],
  ])
  expect(pieces.filter(({ name }) => name === null).map((piece) => piece.text)).toEqual(['One\n', 'two', 'three'])
})

it('a long text with marks is drawn in parts, which together are the text, and marks keep their places', () => {
  const text = 'A line of a long output.\r\n'.repeat(40_000)
  const marks = [
    { start: 10, end: 20_000, option: 'x' },
    { start: 900_000, end: 900_007, option: 'y' },
  ]
  const parts = inParts(text, textPieces(text, marks))
  expect(parts.length).toBeGreaterThan(100)
  const pieces = parts.flat()
  expect(pieces.map((piece) => text.slice(piece.start, piece.end)).join('')).toBe(text)
  expect(Math.max(...pieces.map(({ start, end }) => end - start))).toBeLessThan(8_100)
  const marked = (n: number) => pieces.filter((piece) => piece.marks.includes(n)).map(({ start, end }) => [start, end])
  expect([marked(0).at(0)?.[0], marked(0).at(-1)?.[1]]).toEqual([10, 20_000])
  expect(marked(1)).toEqual([[900_000, 900_007]])
})
