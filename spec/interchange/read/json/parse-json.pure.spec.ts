import { expect, it } from 'vitest'
import { canonicalJson } from '../../../../domain/run/canonical-json.ts'
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

it('long integers keep their digits, also alone and next to NaN', () => {
  const digits = (value: unknown) => canonicalJson(value)
  expect(digits(parse('12345678901234567890'))).toBe('12345678901234567890')
  expect(digits(parse('{"id": 12345678901234567890, "score": NaN}'))).toBe('{"id":12345678901234567890,"score":null}')
})

it.each(['{"a": secretword}', `{"a": [${'11, '.repeat(20)}secretword${', 12'.repeat(20)}]}`])(
  'a refusal of a text has none of its content: %s',
  (text) => {
    expect(() => parse(text)).toThrow('not valid JSON at results.*')
    expect(() => parse(text)).not.toThrow('secret')
  },
)
