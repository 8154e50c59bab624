import { expect, it } from 'vitest'
import { callTurns } from '../../../../../webapp/pages/case/calls/call-turns.ts'
import { madeCalls } from '../../../../../webapp/pages/case/calls/expected-calls.ts'

const call = (name: string, given: unknown) => ({ id: name, name, arguments: given })
const turn = (role: string, ...calls: ReturnType<typeof call>[]) => ({ role, content: 'text', tool_calls: calls })
type Prompt = Parameters<typeof callTurns>[1]

it('callTurns finds the turn of each call, and none for a call of the final response', () => {
  const prompt = {
    messages: [
      turn('system'),
      turn('user'),
      turn('assistant', call('find', { n: 1 })),
      turn('assistant', call('find', { n: 2 }), call('book', { n: 1 })),
      turn('assistant', call('find', { n: 1 })),
    ],
  } as unknown as Prompt
  const called = madeCalls({ prompt, tool_calls: [call('pay', {})] } as unknown as Parameters<typeof madeCalls>[0])
  expect(called.map(({ name }) => name)).toEqual(['find', 'find', 'book', 'find', 'pay'])
  expect([...callTurns(called, prompt)]).toEqual([
    [1, 2],
    [2, 3],
    [3, 3],
    [4, 4],
  ])
  expect(callTurns(called, undefined).size).toBe(0)
})
