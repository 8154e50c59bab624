import { describe, expect, it } from 'vitest'
import { expectedCalls, madeCalls } from '../../../../../webapp/pages/case/calls/expected-calls.ts'
import { pairCalls } from '../../../../../webapp/pages/case/calls/pair-calls.ts'

const call = (name: string, given: Readonly<Record<string, unknown>>) => ({ name, arguments: given })
const expectedIn = (criteria: unknown) => expectedCalls(criteria, {})?.calls ?? null
const pair = (criteria: unknown, made: Array<ReturnType<typeof call>>) => {
  const found = expectedCalls(criteria, { tool_calls: made })
  if (!found) throw new Error('no calls are expected')
  return pairCalls(found.calls, found.called)
}

describe('the expected calls of a definition', () => {
  it('may be a list of actions', () =>
    expect(expectedIn({ actions: [{ name: 'book', kwargs: { to: 'NYC' } }] })).toEqual([
      { name: 'book', arguments: [{ name: 'to', allowed: ['NYC'], isOptional: false }], isOpen: false },
    ]))
  it('may allow several values of an argument, or none', () =>
    expect(expectedIn({ possible_answer: { area_1: { unit: ['cm', ''], n: [1, 2] }, area_2: { n: [3] } } })).toEqual([
      {
        name: 'area',
        arguments: [
          { name: 'unit', allowed: ['cm'], isOptional: true },
          { name: 'n', allowed: [1, 2], isOptional: false },
        ],
        isOpen: false,
      },
      { name: 'area', arguments: [{ name: 'n', allowed: [3], isOptional: false }], isOpen: false },
    ]))
  it('keep the number of a name that stands alone', () =>
    expect(expectedIn({ possible_answer: { sha_256: {} } })).toMatchObject([{ name: 'sha_256' }]))
  it('may be one call by name, which may have further arguments', () =>
    expect(expectedIn({ type: 'tool-call', name: 'find', args: { city: 'x' } })).toMatchObject([
      { name: 'find', isOpen: true },
    ]))
  it.each([undefined, null, 'text', [], {}, { actions: [] }, { actions: [1] }, { possible_answer: {} }])(
    'are unknown for %j',
    (criteria) => expect(expectedIn(criteria)).toBeNull(),
  )
})

describe('the calls that were made', () => {
  const prompt = {
    messages: [
      { role: 'assistant' as const, content: '', tool_calls: [call('a', { x: 1 })] },
      { role: 'user' as const, content: '' },
    ],
  }
  it('are those of the conversation, then those of the response', () =>
    expect(madeCalls({ prompt, tool_calls: [call('b', {})] }).map(({ number, name }) => `${number} ${name}`)).toEqual([
      '1 a',
      '2 b',
    ]))
  it('are counted once if the response repeats them', () =>
    expect(madeCalls({ prompt, tool_calls: [call('a', { x: 1 }), call('b', {})] })).toHaveLength(2))
})

describe('pairing', () => {
  const actions = (...names: Array<readonly [string, Record<string, unknown>]>) => ({
    actions: names.map(([name, kwargs]) => ({ name, kwargs })),
  })

  it('takes calls that are the same first, then those of the same name, in their order', () => {
    const { pairs, others } = pair(actions(['get', { id: 1 }], ['get', { id: 2 }]), [
      call('get', { id: 9 }),
      call('think', {}),
      call('get', { id: 1 }),
    ])
    expect(pairs.map(({ called, isSame }) => [called?.number, isSame])).toEqual([
      [3, true],
      [1, false],
    ])
    expect(others.map(({ name }) => name)).toEqual(['think'])
  })
  it('takes the call with the most arguments in common, of several of one name', () =>
    expect(
      pair(actions(['f', { a: 1, b: 2 }]), [call('f', { a: 9, b: 9 }), call('f', { a: 1, b: 9 })]).pairs[0]?.called
        ?.number,
    ).toBe(2))
  it('finds a call missing', () =>
    expect(
      pair(actions(['get', {}], ['put', {}]), [call('get', {})]).pairs.map(({ called }) => called !== null),
    ).toEqual([true, false]))
  it('ignores the order of fields, but not that of lists, and knows 1 from "1"', () => {
    const same = (expected: unknown, given: unknown) =>
      pair(actions(['f', { v: expected }]), [call('f', { v: given })]).pairs[0]?.isSame
    expect(same({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true)
    expect(same([1, 2], [2, 1])).toBe(false)
    expect(same(1, '1')).toBe(false)
  })
  it('shows arguments that are missing or not expected', () => {
    const [first] = pair(actions(['f', { a: 1 }]), [call('f', { b: 2 })]).pairs
    expect(first?.arguments.map(({ name, given, expected, isSame }) => [name, expected, given, isSame])).toEqual([
      ['a', [1], undefined, false],
      ['b', null, 2, false],
    ])
  })
  it('accepts any allowed value, and an optional argument that is missing', () =>
    expect(
      pair({ possible_answer: { 'a.f': { v: ['x', 'y'], u: ['cm', ''] } } }, [call('a_f', { v: 'y' })]).pairs[0]
        ?.isSame,
    ).toBe(true))
})
