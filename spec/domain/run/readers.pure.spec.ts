import { describe, expect, it } from 'vitest'
import { parseExact } from '../../../domain/run/canonical-json.ts'
import {
  array,
  boolean,
  count,
  withDefault,
  freeObject,
  identity,
  json,
  map,
  nonEmptyIdentity,
  number,
  object,
  oneOfTexts,
  optional,
  readAs,
  text,
  unlessEmpty,
} from '../../../domain/run/readers.ts'

const raw = (source: string) => parseExact(source)

describe('an object', () => {
  const read = object({ b: optional(text), a: number, c: unlessEmpty(array(text)), d: withDefault(boolean, false) })

  it('has its known fields in sorted order and drops others', () =>
    expect(JSON.stringify(read({ z: 1, d: true, b: 'x', a: 1, c: ['y'] }))).toBe('{"a":1,"b":"x","c":["y"],"d":true}'))

  it('leaves out null and empty fields, and adds defaults', () =>
    expect(JSON.stringify(read({ a: 1, b: null, c: [] }))).toBe('{"a":1,"d":false}'))

  it('accepts null only where it means absent', () => {
    expect(() => readAs(read, { a: 1, c: null })).toThrow('invalid run document: c: expected an array, got null')
    expect(() => readAs(read, { a: 1, d: null })).toThrow('invalid run document: d: expected true or false, got null')
    expect(() => readAs(read, { a: null })).toThrow('invalid run document: a: expected a number, got null')
  })

  it('rejects an array, null and a number left as text', () => {
    for (const value of [[], null, 'x', raw('1e400'), undefined])
      expect(() => readAs(read, value)).toThrow(/expected an object/)
    expect(() => readAs(freeObject, raw('1e400'))).toThrow(/expected an object, got 1e400/)
  })
})

describe('a mismatch', () => {
  const read = object({
    cases: array(object({ asserts: array(object({ kind: oneOfTexts(['a', 'b']) })), counts: optional(map(count)) })),
  })

  it('names the path and the value', () => {
    const cases = [{ asserts: [] }, { asserts: [{ kind: 'a' }, { kind: 'not-a' }] }]
    expect(() => readAs(read, { cases })).toThrow(
      'invalid run document: cases[1].asserts[1].kind: expected one of a, b, got "not-a"',
    )
    expect(() => readAs(read, { cases: [{}] })).toThrow(
      'invalid run document: cases[0].asserts: missing, expected an array',
    )
    expect(() => readAs(read, { cases: [{ asserts: [], counts: { x: -1 } }] })).toThrow(
      'cases[0].counts["x"]: expected a non-negative integer, got -1',
    )
    expect(() => readAs(text, 7)).toThrow('invalid run document: expected a string, got 7')
  })

  it('has a short message for any input', () => {
    const long = `\n${'\ud800"'.repeat(100_000)}`
    for (const cases of [
      [{ asserts: [{ kind: long }] }],
      [{ asserts: [], counts: { [long]: 'x' } }],
      long,
      raw('1'.repeat(100_000)),
    ]) {
      expect(() => readAs(read, { cases })).toThrow(
        expect.objectContaining({ message: expect.stringMatching(/^.{20,500}$/s) as string }) as Error,
      )
    }
  })
})

describe('values', () => {
  it('reads a number as a finite double, rounded, zero without a sign', () => {
    expect(number(raw('12345678901234567890'))).toBe(12345678901234567000)
    expect([Object.is(number(raw('-0.0')), 0), Object.is(number(-0), 0)]).toEqual([true, true])
    expect(number(raw('1e-400'))).toBe(0)
    for (const value of [raw('1e400'), Infinity, NaN, '1', null, true]) expect(() => number(value)).toThrow()
  })

  it('reads counts as non-negative safe integers', () => {
    expect([count(0), count(1.0), count(raw('-0')), count(2 ** 53 - 1)]).toEqual([0, 1, 0, 2 ** 53 - 1])
    for (const value of [-1, 1.5, 2 ** 53, raw('9007199254740993'), raw('1e400'), '1', null])
      expect(() => count(value)).toThrow()
  })

  it('accepts names of at most 400 bytes, well-formed, without NUL', () => {
    for (const name of ['', 'a'.repeat(400), 'é'.repeat(200), '😀'.repeat(100)]) expect(identity(name)).toBe(name)
    for (const name of [
      'a'.repeat(401),
      'é'.repeat(201),
      '😀'.repeat(101),
      '한'.repeat(134),
      'a\0',
      '\ud800',
      'x\udc00y',
      1,
      null,
    ]) {
      expect(() => identity(name)).toThrow()
    }
    expect(() => nonEmptyIdentity('')).toThrow('must not be empty')
    expect(nonEmptyIdentity(' ')).toBe(' ')
  })

  it('accepts any text where no name is required', () => {
    for (const value of ['', '\0', '\ud800', 'x'.repeat(1000)]) expect(text(value)).toBe(value)
  })

  it('returns free-form values unchanged, inexact numbers included', () => {
    const value = raw('{"b":1e400,"a":[null]}')
    expect(json(value)).toBe(value)
    expect(freeObject(value)).toBe(value)
    expect(json(null)).toBeNull()
    expect(() => json(undefined)).toThrow()
  })

  it('sorts the keys of a map, __proto__ among them', () =>
    expect(JSON.stringify(map(count)(JSON.parse('{"b":1,"__proto__":2,"a":3}')))).toBe('{"__proto__":2,"a":3,"b":1}'))
})
