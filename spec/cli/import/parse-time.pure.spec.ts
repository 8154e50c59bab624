import { expect, it } from 'vitest'
import { parseCreatedAt } from '../../../cli/import/options.ts'
import { parseTime } from '../../../cli/import/parse-time.ts'

it.each(['yesterday', '9999999999999999', '253402300800000'])('refuses %s as a time', (text) => {
  expect(() => parseTime(text)).toThrow('It must be a time such as')
  expect(() => parseCreatedAt(text)).toThrow('It must be a time such as')
})

it('takes a day, and the time of an import in UTC', () => {
  expect(parseTime('2026-05-04')).toBe(Date.parse('2026-05-04T00:00:00Z'))
  expect(parseCreatedAt('2026-05-04T11:00:00+02:00')).toBe('2026-05-04T09:00:00.000Z')
})
