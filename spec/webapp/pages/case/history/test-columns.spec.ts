import { expect, it } from 'vitest'
import { columnsOfTest } from '../../../../../webapp/pages/case/history/test-columns.ts'

const sibling = (provider_id: string, status: 'pass' | 'fail', repeat = 0, prompt_id: string | null = null) => ({
  case_key: `${provider_id} ${prompt_id ?? ''} ${repeat}`,
  provider_id,
  prompt_id,
  repeat,
  status,
})
const open = (provider_id: string, repeat = 0) => ({ provider_id, test_id: 't', repeat })

it('columnsOfTest returns each column once, with the trial that is open', () => {
  const { cells, passed, what } = columnsOfTest(
    [sibling('a', 'fail'), sibling('a', 'pass', 1), sibling('b', 'pass'), sibling('b', 'fail', 1)],
    open('a', 1),
  )
  expect(cells.map(({ name, status, isCurrent }) => [name, status, isCurrent])).toEqual([
    ['a', 'pass', true],
    ['b', 'pass', false],
  ])
  expect([passed, what]).toEqual([2, 'providers'])
})

it('columnsOfTest names columns by what differs', () => {
  const names = (siblings: Parameters<typeof columnsOfTest>[0]) => {
    const { cells, what } = columnsOfTest(siblings, open('a'))
    return [what, ...cells.map(({ name }) => name)]
  }
  expect(names([sibling('a', 'pass', 0, 'x'), sibling('a', 'pass', 0, 'y')])).toEqual(['prompts', 'x', 'y'])
  expect(names([sibling('a', 'pass', 0, 'x'), sibling('b', 'pass', 0, 'y')])).toEqual(['columns', 'a · x', 'b · y'])
})
