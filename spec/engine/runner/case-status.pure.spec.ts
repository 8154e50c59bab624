import { expect, it } from 'vitest'
import { caseStatus } from '../../../engine/runner/case-status.ts'

const FACTS = {
  errored: false,
  passed: true,
  emptyReason: undefined,
  skipOnEmptyReason: ['refusal'],
  expectFail: undefined,
}

it.each([
  [{}, 'pass'],
  [{ passed: false }, 'fail'],
  [{ expectFail: true as const }, 'xpass'],
  [{ expectFail: 'known gap', passed: false }, 'xfail'],
  [{ emptyReason: 'refusal' }, 'skip'],
  [{ emptyReason: 'refusal', passed: false, expectFail: true as const }, 'skip'],
  [{ emptyReason: 'blank', passed: false }, 'fail'],
  [{ errored: true, emptyReason: 'refusal', expectFail: true as const }, 'error'],
])('the status of a case with %j is %s', (facts, status) => {
  expect(caseStatus({ ...FACTS, ...facts })).toBe(status)
})
