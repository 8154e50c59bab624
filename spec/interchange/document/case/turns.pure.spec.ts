import { describe, expect, it } from 'vitest'
import { exampleVars } from '../../../../interchange/document/case/example-vars.ts'
import { readTurns } from '../../../../interchange/document/case/turns.ts'
import { newLosses } from '../../../../interchange/document/losses.ts'

const read = (...turns: readonly object[]) => {
  const losses = newLosses()
  return { turns: readTurns(turns, losses, 'm'), paths: losses.all().map(({ path }) => path) }
}

describe('turns of a conversation', () => {
  it('have their calls of tools, with ids that are numbers and arguments that are JSON', () => {
    const call = (id: unknown, args: unknown) => ({ id, type: 'function', function: { name: 'f', arguments: args } })
    const tool_calls = [call('a', '{"n":1}'), call(7, 'null'), call('c', '{torn')]
    expect(read({ role: 'assistant', content: null, tool_calls })).toEqual({
      turns: [
        {
          ...{ role: 'assistant', content: '' },
          tool_calls: [
            { id: 'a', name: 'f', arguments: { n: 1 } },
            { id: '7', name: 'f', arguments: null },
            { id: 'c', name: 'f', arguments: '{torn' },
          ],
        },
      ],
      paths: [],
    })
  })

  it('record every member that a turn has no place for, also of another type', () => {
    const odd = { tool_calls: {}, function_call: 'f', tool_call_id: 5, refusal: 'no', audio: null }
    const call = { id: 'a', index: 0, function: { name: 'f', arguments: '{}', strict: true } }
    const { paths } = read(
      { role: 'user', content: 'Hi', ...odd },
      { role: 'assistant', content: 'Ho', tool_calls: [call] },
    )
    expect(paths.sort()).toEqual([
      'm.*.function_call',
      'm.*.refusal',
      'm.*.tool_call_id',
      'm.*.tool_calls',
      'm.*.tool_calls.*.function.strict',
      'm.*.tool_calls.*.index',
    ])
  })
})

it('the variables of an example lose no input that is named like what was expected', () => {
  expect(exampleVars({ q: 1 }, 2)).toEqual({ q: 1, expected: 2 })
  expect(exampleVars({ q: 1, expected: 3 }, 2)).toEqual({ input: { q: 1, expected: 3 }, expected: 2 })
  expect(exampleVars({ expected: 3 }, null)).toEqual({ expected: 3 })
  expect(exampleVars('q', null)).toEqual({ input: 'q' })
})
