import { describe, expect, it } from 'vitest'
import { exchanges, turnText } from '../../../../../webapp/pages/case/conversation/exchange.ts'

const call = (id: string | undefined, name: string) => ({
  ...(id === undefined ? {} : { id }),
  name,
  arguments: { q: 1 },
})
const shown = (messages: Parameters<typeof exchanges>[0]) =>
  exchanges(messages).map(({ role, number, calls, answers }) => [
    role,
    number,
    calls.map(({ call: { name }, result }) => [name, result]),
    answers,
  ])

describe('exchanges', () => {
  it('are empty without a prompt, and one without a number for a plain text', () => {
    expect(exchanges(undefined)).toEqual([])
    expect(shown({ text: 'Say hello' })).toEqual([['prompt', null, [], null]])
  })
  it('number the turns after the system prompt, and have each call with its result', () =>
    expect(
      shown({
        messages: [
          { role: 'system', content: 'Be brief' },
          { role: 'user', content: 'Find it' },
          { role: 'assistant', content: '', tool_calls: [call('c1', 'search'), call('c2', 'read')] },
          { role: 'tool', content: 'second', tool_call_id: 'c2' },
          { role: 'tool', content: 'first', tool_call_id: 'c1' },
          { role: 'assistant', content: '', tool_calls: [call('c1', 'again')] },
          { role: 'tool', content: 'third', tool_call_id: 'c1' },
          { role: 'tool', content: 'lost', tool_call_id: 'c9' },
        ],
      }),
    ).toEqual([
      ['system', null, [], null],
      ['user', 1, [], null],
      [
        'assistant',
        2,
        [
          ['search', 'first'],
          ['read', 'second'],
        ],
        null,
      ],
      ['assistant', 3, [['again', 'third']], null],
      ['tool', 4, [], 'c9'],
    ]))
  it('without ids pair calls and results in their order', () =>
    expect(
      shown({
        messages: [
          { role: 'assistant', content: '', tool_calls: [call(undefined, 'a'), call(undefined, 'b')] },
          { role: 'tool', content: '1' },
          { role: 'tool', content: '2' },
        ],
      }),
    ).toEqual([
      [
        'assistant',
        1,
        [
          ['a', '1'],
          ['b', '2'],
        ],
        null,
      ],
    ]))
  it('are copied with their calls and results', () => {
    const [turn] = exchanges({
      messages: [
        { role: 'assistant', content: 'Looking', tool_calls: [call('c1', 'search')] },
        { role: 'tool', content: 'found', tool_call_id: 'c1' },
      ],
    })
    expect(turn && turnText(turn, JSON.stringify)).toBe('Looking\n\nsearch({"q":1})\n\nfound')
  })
})
