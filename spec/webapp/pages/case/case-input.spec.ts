import { describe, expect, it } from 'vitest'
import { expectedOf, inputOf } from '../../../../webapp/pages/case/case-input.ts'

const user = { role: 'user' as const, content: 'Where is Lima?' }

describe('inputOf', () => {
  it('has the variables, then the prompt', () =>
    expect(inputOf({ vars: { city: 'Lima', n: { a: 1 } }, prompt: { text: 'Where is {{city}}?' } })).toEqual([
      { name: 'city', text: 'Lima' },
      { name: 'n', text: '{\n  "a": 1\n}' },
      { name: 'prompt', text: 'Where is {{city}}?' },
    ]))
  it('has what the user said first', () =>
    expect(inputOf({ prompt: { messages: [{ role: 'system', content: 'Be brief' }, user] } })).toEqual([
      { name: 'user', text: 'Where is Lima?' },
    ]))
  it('has a text once that is a variable and the prompt', () =>
    expect(inputOf({ vars: { question: 'Where is Lima?' }, prompt: { messages: [user] } })).toHaveLength(1))
  it('is empty without both', () => expect(inputOf({})).toEqual([]))
})

describe('expectedOf', () => {
  const assertion = (kind: string, criteria: unknown) =>
    ({ kind, status: 'pass', score: 1, weight: 1, reason: '', criteria }) as never
  it('has what the definitions expect, each once, without expected calls', () =>
    expect(
      expectedOf({
        asserts: [
          assertion('equals', { type: 'equals', value: 'Peru' }),
          assertion('contains', { value: 'Peru' }),
          assertion('match', { target: ['a', 'b'] }),
          assertion('tool-call', { value: 'x' }),
          assertion('latency', { threshold: 1 }),
        ],
      }),
    ).toEqual([
      { name: 'equals', text: 'Peru' },
      { name: 'match', text: '[\n  "a",\n  "b"\n]' },
    ]))
  it('has the scores that they need, if no definition has more', () =>
    expect(
      expectedOf({
        asserts: [
          assertion('llm-rubric', { metric: 'accuracy', threshold: 0.8, judge: 'a' }),
          assertion('llm-rubric', { metric: 'accuracy', threshold: 0.8, judge: 'b' }),
          assertion('llm-rubric', { metric: 'completeness', threshold: 0.8 }),
          assertion('latency', { threshold: 1 }),
        ],
      }),
    ).toEqual([{ name: 'score', text: 'accuracy and completeness at 0.80 or more' }]))
})
