import { expect, it } from 'vitest'
import { numberList } from '../../storage/sql.ts'

const valuesOf = (length: number): readonly unknown[] => {
  const list = numberList(Array.from({ length }, (_, n) => n))
  return 'values' in list ? list.values : []
}

it('a list of numbers has one of few lengths, and ends with numbers that nothing has', () => {
  expect([0, 1, 2, 8, 9, 64, 65, 501, 512, 513].map((length) => valuesOf(length).length)).toEqual([
    1, 1, 8, 8, 64, 64, 512, 512, 512, 1024,
  ])
  expect(valuesOf(3)).toEqual([0, 1, 2, -1, -1, -1, -1, -1])
})
