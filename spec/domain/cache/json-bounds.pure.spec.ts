import { describe, expect, it } from 'vitest'
import { hasMoreValues, isDeeperThan, isWithinJsonBounds } from '../../../domain/cache/json-bounds.ts'

const within = (text: string): boolean => isWithinJsonBounds(Buffer.from(text))

describe('the limits of JSON that is parsed at once', () => {
  it('allow a depth of 512', () => {
    expect(within('['.repeat(512) + ']'.repeat(512))).toBe(true)
    expect(within('['.repeat(513) + ']'.repeat(513))).toBe(false)
  })

  it('allow many values in one array', () => expect(within(`[${'[],'.repeat(100_000)}[]]`)).toBe(true))

  it('reject too many keys', () => {
    const keys = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join(',')}}`
    expect(within(keys(100_000))).toBe(true)
    expect(within(keys(100_001))).toBe(false)
  })

  it('reject too many arrays, empty ones included', () => {
    const arrays = (count: number): string => `[${Array.from({ length: count - 1 }, () => '[]').join(',')}]`
    expect(within(arrays(200_000))).toBe(true)
    expect(within(arrays(200_001))).toBe(false)
  })

  it('reject too many objects, empty ones included', () => {
    const objects = (count: number): string => `[${Array.from({ length: count }, () => '{}').join(',')}]`
    expect(within(objects(100_000))).toBe(true)
    expect(within(objects(100_001))).toBe(false)
  })

  it('count nothing inside strings', () => {
    expect(within(JSON.stringify({ text: '{['.repeat(1000) }))).toBe(true)
    expect(within(JSON.stringify({ text: `\\"${'[:"\\'.repeat(300_000)}` }))).toBe(true)
  })

  it('apply to bytes that are not JSON', () => {
    expect(within('"unterminated \\')).toBe(true)
    expect(within(']]]]')).toBe(true)
  })
})

describe('the depth of a JSON text', () => {
  const deeper = (text: string): boolean => isDeeperThan(Buffer.from(text), 3)

  it('counts nested objects and arrays', () => {
    for (const text of ['1', '[[[]]]', '{"a":[{}]}', '[[[]],[[]],{"a":{}}]']) expect(deeper(text), text).toBe(false)
    for (const text of ['[[[[]]]]', '{"a":[{"b":[]}]}', '[[[[', '[[[{']) expect(deeper(text), text).toBe(true)
  })

  it('counts nothing inside strings', () => {
    for (const text of ['["[[[[{{{{"]', '["\\"[[[[", "{{{{"]', '{"[[[[":1}', '"[[[['])
      expect(deeper(text), text).toBe(false)
    expect(deeper('["\\\\",[[[1]]]]')).toBe(true)
  })
})

describe('the number of values of a JSON text', () => {
  const text = (value: unknown, spaces = 8): Buffer => Buffer.from(JSON.stringify(value) + ' '.repeat(spaces))

  it.each([
    ['a list and its items', [1, 2, 3], 4],
    ['an object and its members', { a: 1, b: { c: 2 } }, 4],
    ['nothing inside strings', { 'a,[': '[,{\\"', b: '",[' }, 3],
  ])('counts %s', (_, value, count) => {
    expect(hasMoreValues(text(value), count)).toBe(false)
    expect(hasMoreValues(text(value), count - 1)).toBe(true)
  })
})
