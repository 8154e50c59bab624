import { expect, it } from 'vitest'
import { newLosses } from '../../../../interchange/document/losses.ts'
import { parseJson } from '../../../../interchange/read/json/parse-json.ts'

const parse = (text: string) => parseJson(Buffer.from(text), newLosses(), 'results.*')

it('a JSON text has at most a million values: more are refused before they take memory', () => {
  expect(parse(`[${'0,'.repeat(999_998)}0]`)).toHaveLength(999_999)
  expect(() => parse(`[${'[0],'.repeat(500_000)}0]`)).toThrow('more than 1000000 values at results.*')
  expect(() => parse(`{"a":[${'{},'.repeat(1_000_000)}0]}`)).toThrow('more than 1000000 values at results.*')
})

it('brackets and commas in strings are no values', () => {
  const text = `${String.raw`\",[{`.repeat(500_000)}`
  expect(parse(`["${text}"]`)).toEqual(['",[{'.repeat(500_000)])
})
