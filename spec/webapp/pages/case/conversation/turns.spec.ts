import { describe, expect, it } from 'vitest'
import { callArguments, toolCalls, promptTurns } from '../../../../../webapp/pages/case/conversation/turns.ts'

describe('the turns of a prompt', () => {
  it('are empty without a prompt', () => expect(promptTurns(undefined)).toEqual([]))
  it('are a single turn for a plain text', () =>
    expect(promptTurns({ text: 'Say hello' })).toEqual([
      { role: 'prompt', blocks: [{ kind: 'text', text: 'Say hello' }], calls: [], answers: null },
    ]))
  it('contain text and thinking in their order', () => {
    const [turn] = promptTurns({
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'yes' },
          ],
        },
      ],
    })
    expect(turn?.blocks).toEqual([
      { kind: 'thinking', text: 'hm' },
      { kind: 'text', text: 'yes' },
    ])
  })
  it('name the tool call of a result, or give its id if that call is missing', () => {
    const turns = promptTurns({
      messages: [
        { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'search', arguments: { q: 1 } }] },
        { role: 'tool', content: 'found', tool_call_id: 'c1' },
        { role: 'tool', content: 'found', tool_call_id: 'c2' },
      ],
    })
    expect(turns.map(({ answers }) => answers)).toEqual([null, 'search', 'c2'])
    expect(turns[0]).toMatchObject({ blocks: [], calls: [{ id: 'c1', name: 'search', arguments: { q: 1 } }] })
  })
})

describe('a tool call', () => {
  it('may have no id and no arguments', () =>
    expect(toolCalls({ tool_calls: [{ name: 'stop', arguments: null }] })).toEqual([
      { id: null, name: 'stop', arguments: null },
    ]))
  it.each([
    [{ a: 'x', n: 2 }, 'a="x", n=2'],
    [null, ''],
    ['plain', '"plain"'],
    [[1, 2], '[1,2]'],
  ])('is shown with its arguments %j', (given, text) => expect(callArguments(given, JSON.stringify)).toBe(text))
})
