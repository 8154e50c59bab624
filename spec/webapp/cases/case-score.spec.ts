import { expect, it } from 'vitest'
import { scoreOf } from '../../../webapp/cases/case-score.ts'

it('scoreOf returns null for a skipped case with score 0', () =>
  expect([
    scoreOf('skip', 0),
    scoreOf('skip', 0.5),
    scoreOf('fail', 0),
    scoreOf('error', 0),
    scoreOf('pass', null),
    scoreOf(null, 0),
  ]).toEqual([null, 0.5, 0, 0, null, 0]))
