import { describe, expect, it } from 'vitest'
import { parseHistory } from '../../../engine/prompts/parse-history.ts'

describe('the file of a history', () => {
  it('holds turns in YAML or JSON', () => {
    const turns = [{ role: 'user', content: 'Hi' }]
    expect(parseHistory('h.yaml', '- {role: user, content: Hi}\n')).toEqual(turns)
    expect(parseHistory('h.json', JSON.stringify(turns))).toEqual(turns)
    expect(parseHistory('h.json', '[]')).toEqual([])
  })

  it.each([
    ['role: user', /h\.yaml: .*list/],
    ['- {role: boss, content: x}', /h\.yaml: \[0\]\.role: /],
    ['- {role: user}', 'h.yaml: [0]: a turn needs `content` or `tool_calls`'],
    ['- {role: user, content: x, tool_calls: []}', /h\.yaml: \[0\]\.tool_calls: only an `assistant` turn/],
    ['- {role: user, content: x}\n- [', /h\.yaml: line \d/],
    ['', 'h.yaml: expected a list of turns'],
  ])('is refused for %j', (text, message) => {
    expect(() => parseHistory('h.yaml', text)).toThrow(message)
  })
})
