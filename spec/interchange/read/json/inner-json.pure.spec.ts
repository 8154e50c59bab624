import { describe, expect, it } from 'vitest'
import { newLosses } from '../../../../interchange/document/losses.ts'
import { innerJson, parseWhole } from '../../../../interchange/read/json/inner-json.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('innerJson', () => {
  it.each(['{"a": 1}', '[]', '"a"', '1', 'null', nested(64)])('is the value of %s', (text) =>
    expect(innerJson(text)).toEqual(JSON.parse(text)),
  )

  it.each(['', 'a', '{', '[1,', '{"a": NaN}', nested(65), nested(100_000)])('is undefined for other text', (text) =>
    expect(innerJson(text)).toBeUndefined(),
  )
})

describe('parseWhole', () => {
  it('does not count brackets in strings', () => {
    const text = JSON.stringify(`\\"${'['.repeat(1_000)}`)
    expect(parseWhole(text, newLosses(), 'a')).toBe(JSON.parse(text))
  })

  it('refuses what no document could hold, and says where', () => {
    expect(parseWhole(nested(480), newLosses(), 'a')).toBeDefined()
    expect(() => parseWhole(nested(481), newLosses(), 'a.b')).toThrow('nested deeper than 480 at a.b')
    expect(() => parseWhole('{', newLosses(), 'a.b')).toThrow('not valid JSON at a.b')
  })

  it('keeps the digits of long integers, and reads fractions as doubles', () => {
    const found = parseWhole('{"a": 12345678901234567890, "b": 0.6666666666666666}', newLosses(), 'a')
    expect(JSON.stringify(found)).toBe('{"a":12345678901234567890,"b":0.6666666666666666}')
  })
})
