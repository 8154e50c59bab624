import { expect, it } from 'vitest'
import { meaningOf, type MeaningVersion } from '../../../domain/review/meaning.ts'

const versions: MeaningVersion[] = [
  { version: 1, change: null, valid_days: 30 },
  { version: 2, change: 'wording', valid_days: 90 },
  { version: 3, change: 'meaning', valid_days: 60 },
  { version: 4, change: 'wording', valid_days: 45 },
  { version: 5, change: 'meaning', valid_days: 10 },
]

it('versions mean the same from one that changed the meaning to the next, and labels count as new by the last of them', () => {
  const first = { first: 1, last: 2, valid_days: 90, changed_in: 3 }
  const second = { first: 3, last: 4, valid_days: 45, changed_in: 5 }
  expect([1, 2, 3, 4, 5, 6].map((version) => meaningOf(versions, version))).toEqual([
    ...[first, first, second, second],
    { first: 5, last: 5, valid_days: 10, changed_in: null },
    null,
  ])
  expect(meaningOf(versions.slice(0, 2), 1)).toEqual({ ...first, changed_in: null })
})
