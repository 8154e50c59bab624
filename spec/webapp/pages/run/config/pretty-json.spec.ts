import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { configText, prettyJson } from '../../../../../webapp/pages/run/config/pretty-json.ts'

describe('configuration text', () => {
  it('is indented like the output of JSON.stringify', () =>
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
      }),
    ))
  it('preserves all digits', () =>
    expect(prettyJson('{"a":[12345678901234567890,1.0,{}],"b":[]}')).toBe(
      '{\n  "a": [\n    12345678901234567890,\n    1.0,\n    {}\n  ],\n  "b": []\n}',
    ))
  it('loses no character of a value that is cut off anywhere', () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, end) => {
        const text = JSON.stringify(value)
        const cut = text.slice(0, end % (text.length + 1))
        const withoutSpace = (each: string): string => each.replace(/\s/g, '')
        expect(withoutSpace(prettyJson(cut))).toBe(withoutSpace(cut))
      }),
    ))
  it('indents many levels by a limited width', () =>
    expect(prettyJson('['.repeat(10_000)).length).toBeLessThan(10_000 * 130))
  it('does not read punctuation in strings as syntax', () =>
    expect(prettyJson('{"a":"{\\"b\\":[1,2]}"}')).toBe('{\n  "a": "{\\"b\\":[1,2]}"\n}'))
  it('is taken from the response unchanged', () => {
    expect(configText('{"run_id":"a\\"b","config_digest":null,"config":{"n":1.00}}')).toBe('{"n":1.00}')
    expect(configText('{"config_digest":"x","run_id":"a","config":[1]}')).toBe('[1]')
  })
})
