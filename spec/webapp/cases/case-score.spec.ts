import { expect, it } from 'vitest'
import { caseScore } from '../../../webapp/cases/case-score.ts'

it('scoreOf returns null for a skipped case with score 0', () =>
  expect([
    caseScore('skip', 0),
    caseScore('skip', 0.5),
    caseScore('fail', 0),
    caseScore('error', 0),
    caseScore('pass', null),
    caseScore(null, 0),
  ]).toEqual([null, 0.5, 0, 0, null, 0]))
