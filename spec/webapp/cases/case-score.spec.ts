import { expect, it } from 'vitest'
import { scoreOf } from '../../../webapp/cases/case-score.ts'

it('a case that was skipped has no score of 0', () =>
  expect([
    scoreOf('skip', 0),
    scoreOf('skip', 0.5),
    scoreOf('fail', 0),
    scoreOf('error', 0),
    scoreOf('pass', null),
    scoreOf(null, 0),
  ]).toEqual([null, 0.5, 0, 0, null, 0]))
