import { expect, it } from 'vitest'
import { caseId, caseName, caseTitle } from '../../../webapp/cases/case-name.ts'

it.each([
  [{ name: 'Tests a thing', test_id: 'Thing' }, 'Tests a thing', 'Thing'],
  [{ name: 'a thing', test_id: 'a_thing' }, 'a thing', null],
  [{ name: '', test_id: 'Thing' }, 'Thing', null],
  [{ name: null, test_id: null }, '0123', null],
])('%j is called %s, then %s', (named, name, id) => {
  const item = { ...named, case_key: '0123' }
  expect([caseName(item), caseId(item)]).toEqual([name, id])
  expect(caseTitle(item)).toBe(id ?? name)
})
