import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExact } from '../../../domain/run/canonical-json.ts'
import {
  array,
  boolean,
  count,
  defaulted,
  freeObject,
  identity,
  instant,
  json,
  map,
  nonEmptyIdentity,
  number,
  object,
  oneOf,
  optional,
  readAs,
  text,
  unlessEmpty,
} from '../../../domain/run/readers.ts'

const raw = (source: string) => parseExact(source)

describe('an object', () => {
  const read = object({ b: optional(text), a: number, c: unlessEmpty(array(text)), d: defaulted(boolean, false) })

  it('keeps its known fields in sorted order and drops the others', () => {
    expect(JSON.stringify(read({ z: 1, d: true, b: 'x', a: 1, c: ['y'] }))).toBe('{"a":1,"b":"x","c":["y"],"d":true}')
  })

  it('leaves out what is null or empty, and fills in defaults', () => {
    expect(JSON.stringify(read({ a: 1, b: null, c: [] }))).toBe('{"a":1,"d":false}')
  })

  it('takes null only where it means absent', () => {
    expect(() => readAs(read, { a: 1, c: null })).toThrow('invalid run document: c: expected an array, got null')
    expect(() => readAs(read, { a: 1, d: null })).toThrow('invalid run document: d: expected true or false, got null')
    expect(() => readAs(read, { a: null })).toThrow('invalid run document: a: expected a number, got null')
  })

  it('is no array, no null and no number kept as text', () => {
    for (const value of [[], null, 'x', raw('1e400'), undefined])
      expect(() => readAs(read, value)).toThrow(/expected an object/)
    expect(() => readAs(freeObject, raw('1e400'))).toThrow(/expected an object, got 1e400/)
  })
})

describe('a mismatch', () => {
  const read = object({
    cases: array(object({ asserts: array(object({ kind: oneOf(['a', 'b']) })), counts: optional(map(count)) })),
  })

  it('names the path and what was found', () => {
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

  it('stays short, whatever was sent', () => {
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
  it('reads a number as a double: rounded when it was kept as text, zero without a sign, finite', () => {
    expect(number(raw('12345678901234567890'))).toBe(12345678901234567000)
    expect(Object.is(number(raw('-0.0')), 0)).toBe(true)
    expect(Object.is(number(-0), 0)).toBe(true)
    expect(number(raw('1e-400'))).toBe(0)
    for (const value of [raw('1e400'), Infinity, NaN, '1', null, true]) expect(() => number(value)).toThrow()
  })

  it('counts in non-negative safe integers', () => {
    expect([count(0), count(1.0), count(raw('-0')), count(2 ** 53 - 1)]).toEqual([0, 1, 0, 2 ** 53 - 1])
    for (const value of [-1, 1.5, 2 ** 53, raw('9007199254740993'), raw('1e400'), '1', null])
      expect(() => count(value)).toThrow()
  })

  it('takes names of at most 400 bytes of well-formed text without NUL', () => {
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

  it('takes any text where it is not a name', () => {
    for (const value of ['', '\0', '\ud800', 'x'.repeat(1000)]) expect(text(value)).toBe(value)
  })

  it('leaves free-form values alone, kept numbers included', () => {
    const value = raw('{"b":1e400,"a":[null]}')
    expect(json(value)).toBe(value)
    expect(freeObject(value)).toBe(value)
    expect(json(null)).toBeNull()
    expect(() => json(undefined)).toThrow()
  })

  it('sorts the keys of a map, __proto__ among them', () => {
    expect(JSON.stringify(map(count)(JSON.parse('{"b":1,"__proto__":2,"a":3}')))).toBe('{"__proto__":2,"a":3,"b":1}')
  })
})

describe('an instant', () => {
  it.each([
    ['2026-05-04T09:00:42.250Z', '2026-05-04T09:00:42.25Z'],
    ['2026-05-04T09:00:42.000000000Z', '2026-05-04T09:00:42Z'],
    ['2026-05-04t09:00:42z', '2026-05-04T09:00:42Z'],
    ['2026-05-04T11:00:42.123456789+02:00', '2026-05-04T09:00:42.123456789Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00Z'],
    ['2024-02-28T23:30:00-00:45', '2024-02-29T00:15:00Z'],
    ['2026-05-04T09:00:42-00:00', '2026-05-04T09:00:42Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
    ['0099-12-31T23:59:59.9Z', '0099-12-31T23:59:59.9Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999999Z'],
    ['1969-12-31T23:59:59.1Z', '1969-12-31T23:59:59.1Z'],
  ])('%s is %s', (sent, normal) => expect(instant(sent)).toBe(normal))

  it.each([
    '2026-05-04T09:00:42',
    '2026-05-04 09:00:42Z',
    '2026-05-04',
    '2026-05-04T09:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-05-04T24:00:00Z',
    '2026-05-04T09:60:00Z',
    '2026-05-04T09:00:60Z',
    '2026-05-04T09:00:42.Z',
    '2026-05-04T09:00:42.1234567890Z',
    '2026-05-04T09:00:42+0200',
    '2026-05-04T09:00:42+24:00',
    '2026-05-04T09:00:42+00:60',
    '0000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '2026-05-04T09:00:42Z\n',
    ' 2026-05-04T09:00:42Z',
    '+02026-05-04T09:00:42Z',
    '',
    '1777885242250',
    '٢٠٢٦-05-04T09:00:42Z',
  ])('%j is none', (sent) => expect(() => instant(sent)).toThrow())

  it('is no number and no null', () => {
    for (const value of [1777885242250, null, undefined, {}]) expect(() => instant(value)).toThrow()
  })

  it('is the same in every spelling, and its normal form stays as it is', () => {
    const date = fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(date, fc.integer({ min: -1439, max: 1439 }), (at, offset) => {
        const [size, local] = [Math.abs(offset), new Date(at.getTime() + offset * 60_000).toISOString().slice(0, -1)]
        const zone = `${offset < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`
        const normal = instant(at.toISOString())
        expect(instant(local + zone)).toBe(normal)
        expect(instant(normal)).toBe(normal)
        expect(Date.parse(normal)).toBe(at.getTime())
      }),
    )
  })
})
