import { expect, it } from 'vitest'
import { columns, table } from '../../../queries/agents/table.ts'

it('shows every kind of value on one line, aligned', () => {
  const rows = [
    { id: 'a\nb\t\u2028c', value: null },
    { id: '😀', value: [1, 2, 3] },
    { id: 'x', value: true },
    { id: 'yy', value: 0.5 },
    { id: 'zz', value: { deep: 1 } },
  ]
  expect(table(rows, columns('id', 'value')).split('\n')).toEqual([
    'id     value',
    'a b c  -',
    '😀      3',
    'x      true',
    'yy     0.5',
    'zz     {"deep":1}',
  ])
  expect(table([], columns('id'))).toBe('(no rows)')
})
