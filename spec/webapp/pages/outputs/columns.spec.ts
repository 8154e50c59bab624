import { describe, expect, it } from 'vitest'
import { columnIds, columnNames, shownColumns, type OutputColumn } from '../../../../webapp/pages/outputs/columns.ts'

const column = (fields: Partial<OutputColumn>): OutputColumn => ({
  run_id: 'r',
  note: null,
  project: null,
  suite: null,
  case_key: 'k',
  name: null,
  provider_id: 'p',
  prompt_id: null,
  model: null,
  repeat: 0,
  status: 'pass',
  score: 1,
  error: null,
  output: null,
  prompt: null,
  asserts: [],
  tool_calls: [],
  latency_ms: null,
  cost_usd: null,
  input_tokens: null,
  output_tokens: null,
  ...fields,
})

describe('the names of columns', () => {
  it('are what differs between them', () => {
    expect(columnNames([column({ provider_id: 'a' }), column({ provider_id: 'b' })])).toEqual(['a', 'b'])
    expect(columnNames([column({ prompt_id: 'x' }), column({ prompt_id: 'y' })])).toEqual(['x', 'y'])
    expect(
      columnNames([column({ provider_id: 'a', prompt_id: 'x' }), column({ provider_id: 'b', prompt_id: 'y' })]),
    ).toEqual(['a · x', 'b · y'])
    expect(columnNames([column({ run_id: '1', note: 'old' }), column({ run_id: '2', model: 'm' })])).toEqual([
      'old',
      'm',
    ])
  })
  it('tell trials of one column apart, and runs of one provider', () => {
    expect(columnNames([column({}), column({ repeat: 1 })])).toEqual(['p · trial 1', 'p · trial 2'])
    expect(
      columnNames([
        column({ provider_id: 'a', run_id: '1' }),
        column({ provider_id: 'a', run_id: '2', note: 'new' }),
        column({ provider_id: 'b', run_id: '3' }),
      ]),
    ).toEqual(['a · 1', 'a · new', 'b'])
  })
})

describe('the columns that are shown', () => {
  const ten = Array.from({ length: 10 }, (_, n) => column({ case_key: `k${n}` }))
  it('are the first, with the base', () => {
    expect(shownColumns(ten, 0, null)).toEqual([0, 1, 2, 3])
    expect(shownColumns(ten, 9, null)).toEqual([9, 0, 1, 2])
    expect(shownColumns(ten.slice(0, 1), 0, null)).toEqual([0])
  })
  it('are those that the address names, eight at most', () => {
    expect(shownColumns(ten, 2, ['k2', 'k9'])).toEqual([2, 9])
    expect(shownColumns(ten, 0, ['k9'])).toEqual([0, 9])
    expect(shownColumns(ten, 0, ['none'])).toEqual([0, 1, 2, 3])
    expect(
      shownColumns(
        ten,
        0,
        ten.map(({ case_key }) => case_key),
      ),
    ).toHaveLength(8)
  })
  it('are named by their runs if there are several, because a case has the same key in all of them', () => {
    const three = [1, 2, 3].map((n) => column({ run_id: `r${n}` }))
    expect(shownColumns(three, 0, ['r1', 'r3'])).toEqual([0, 2])
    expect(shownColumns(three, 1, ['r2', 'r3'])).toEqual([1, 2])
    expect(shownColumns(three, 0, ['k'])).toEqual([0, 1, 2])
  })
  it('are named by run and case if one of several runs has several columns', () => {
    const mixed = [column({}), column({ case_key: 'l' }), column({ run_id: 's' })]
    expect(columnIds(mixed)).toEqual(['r/k', 'r/l', 's'])
    expect(shownColumns(mixed, 0, ['r/k', 's'])).toEqual([0, 2])
  })
})
