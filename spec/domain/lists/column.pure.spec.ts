import fc from 'fast-check'
import { expect, it } from 'vitest'
import { columnText, groupByColumn, isInColumn, parseColumn, type Column } from '../../../domain/lists/column.ts'

const column = fc.oneof(
  fc.record({ provider_id: fc.string() }),
  fc.record({ provider_id: fc.string(), prompt_id: fc.oneof(fc.constant(null), fc.string({ minLength: 1 })) }),
)

it('reads the text of every column again', () => {
  fc.assert(
    fc.property(column, (each: Column) => {
      expect(parseColumn(columnText(each))).toEqual(each)
    }),
  )
})

it('writes plain names as they are', () => {
  expect(columnText({ provider_id: 'openai:gpt-5/mini' })).toBe('openai:gpt-5/mini')
  expect(columnText({ provider_id: 'a,b', prompt_id: '100 %' })).toBe('a%2Cb,100 %25')
  expect(columnText({ provider_id: 'a', prompt_id: null })).toBe('a,')
})

it.each(['a,b,c', '%', '%zz', 'a,%E0%A4%A'])('refuses %j', (text) => expect(parseColumn(text)).toBeNull())

it('puts each case into one group, of which the column has it', () => {
  const cases = [
    { provider_id: 'a', prompt_id: 'p' },
    { provider_id: null, prompt_id: null },
    { provider_id: 'a', prompt_id: 'q' },
    { provider_id: '', prompt_id: '' },
    { provider_id: 'a', prompt_id: 'p' },
  ]
  expect(
    groupByColumn(cases, 'column').map(({ column: { prompt_id }, cases: { length } }) => [prompt_id, length]),
  ).toEqual([
    ['p', 2],
    [null, 2],
    ['q', 1],
  ])
  expect(groupByColumn(cases, 'provider').map(({ cases: { length } }) => length)).toEqual([3, 2])
  for (const by of ['column', 'provider'] as const)
    for (const group of groupByColumn(cases, by))
      expect(cases.filter((each) => isInColumn(each, group.column))).toEqual(group.cases)
})
