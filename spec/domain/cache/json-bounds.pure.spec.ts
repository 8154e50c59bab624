import { describe, expect, it } from 'vitest'
import { isDeeperThan, isWithinJsonBounds } from '../../../domain/cache/json-bounds.ts'

const within = (text: string): boolean => isWithinJsonBounds(Buffer.from(text))

describe('the bounds of JSON that is parsed in one go', () => {
  it('take what is 512 deep and no deeper', () => {
    expect(within('['.repeat(512) + ']'.repeat(512))).toBe(true)
    expect(within('['.repeat(513) + ']'.repeat(513))).toBe(false)
  })

  it('take many values side by side', () => expect(within(`[${'[],'.repeat(100_000)}[]]`)).toBe(true))

  it('end with too many keys', () => {
    const keys = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join(',')}}`
    expect(within(keys(100_000))).toBe(true)
    expect(within(keys(100_001))).toBe(false)
  })

  it('end with too many arrays, empty ones too', () => {
    const arrays = (count: number): string => `[${Array.from({ length: count - 1 }, () => '[]').join(',')}]`
    expect(within(arrays(200_000))).toBe(true)
    expect(within(arrays(200_001))).toBe(false)
  })

  it('end with too many objects, empty ones too', () => {
    const objects = (count: number): string => `[${Array.from({ length: count }, () => '{}').join(',')}]`
    expect(within(objects(100_000))).toBe(true)
    expect(within(objects(100_001))).toBe(false)
  })

  it('count nothing inside of strings', () => {
    expect(within(JSON.stringify({ text: '{['.repeat(1000) }))).toBe(true)
    expect(within(JSON.stringify({ text: `\\"${'[:"\\'.repeat(300_000)}` }))).toBe(true)
  })

  it('are told of bytes that are no JSON too', () => {
    expect(within('"unterminated \\')).toBe(true)
    expect(within(']]]]')).toBe(true)
  })
})

describe('the depth of a JSON text', () => {
  const deeper = (text: string): boolean => isDeeperThan(Buffer.from(text), 3)

  it('counts objects and arrays that are open at once', () => {
    for (const text of ['1', '[[[]]]', '{"a":[{}]}', '[[[]],[[]],{"a":{}}]']) expect(deeper(text), text).toBe(false)
    for (const text of ['[[[[]]]]', '{"a":[{"b":[]}]}', '[[[[', '[[[{']) expect(deeper(text), text).toBe(true)
  })

  it('counts nothing inside of strings', () => {
    for (const text of ['["[[[[{{{{"]', '["\\"[[[[", "{{{{"]', '{"[[[[":1}', '"[[[['])
      expect(deeper(text), text).toBe(false)
    expect(deeper('["\\\\",[[[1]]]]')).toBe(true)
  })
})
