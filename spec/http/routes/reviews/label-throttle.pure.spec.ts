import { expect, it } from 'vitest'
import { TooManyAttempts } from '../../../../http/errors.ts'
import { labelThrottle } from '../../../../http/routes/reviews/queue.ts'

it('an account gives 120 labels a minute, and is forgotten a minute after the last', () => {
  let now = 1_000_000
  const recent = new Map<string, number[]>()
  const count = labelThrottle(() => now, recent)
  for (let n = 0; n < 120; n++) count('busy')
  expect(() => count('busy')).toThrow(TooManyAttempts)
  now += 30_000
  count('other')
  now += 30_000
  count('busy')
  expect([...recent.keys()]).toEqual(['other', 'busy'])
  now += 59_000
  count('third')
  expect([...recent.keys()]).toEqual(['busy', 'third'])
})
