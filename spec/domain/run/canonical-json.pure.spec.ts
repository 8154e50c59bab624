import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canonicalJson,
  isExactDouble,
  isRawNumber,
  mayBeInexact,
  parseExact,
} from '../../../domain/run/canonical-json.ts'

describe('an exact double', () => {
  it.each([
    '0',
    '1',
    '-1',
    '1.0',
    '1.50',
    '0.30000000000000004',
    '1e2',
    '1E+2',
    '100e-2',
    '1e-07',
    '9007199254740992',
    '9007199254740994',
    '0.0',
    '0e999',
    '1.7976931348623157e308',
    '5e-324',
    '123456789012345680000',
    '1e21',
    '1000000000000000000000',
    '0.000001',
    '1e-7',
    '10000000000000000.000',
  ])('represents %s', (token) => expect(isExactDouble(token)).toBe(true))

  it.each([
    '9007199254740993',
    '12345678901234567890',
    '1e400',
    '-1e400',
    '1e-400',
    '-0',
    '-0.0',
    '-0e5',
    '0.1234567890123456789',
    '1.00000000000000000001',
    '9007199254740993e0',
    '-1e-400',
    '4e-324',
  ])('does not represent %s', (token) => expect(isExactDouble(token)).toBe(false))

  it('represents every number that JavaScript writes', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) =>
        isExactDouble(JSON.stringify(number)),
      ),
    )
  })

  it('represents an integer if and only if it is the shortest spelling of its double', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 69n), 2n ** 69n), (whole) => {
        // Below 1e21 JavaScript writes integers without an exponent.
        expect(isExactDouble(String(whole))).toBe(String(Number(whole)) === String(whole))
      }),
    )
  })

  it('represents every token for which mayBeInexact is false', () => {
    const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?$/)
    fc.assert(
      fc.property(digits, (token) => mayBeInexact(token) || isExactDouble(token)),
      { numRuns: 2000 },
    )
  })

  it('takes linear time for a token of many zeros', () => {
    expect(isExactDouble(`0.${'0'.repeat(1_000_000)}1${'0'.repeat(1_000_000)}`)).toBe(false)
    expect(isExactDouble(`1${'0'.repeat(1_000_000)}e-1000000`)).toBe(true)
  })
})

describe('exact parsing', () => {
  it('preserves numbers that no double represents', () => {
    const text = '{"a":12345678901234567890,"b":[-0,1e400,1.0,0.1],"c":"9007199254740993"}'
    expect(JSON.stringify(parseExact(text))).toBe(
      '{"a":12345678901234567890,"b":[-0,1e400,1,0.1],"c":"9007199254740993"}',
    )
    expect(isRawNumber((parseExact(text) as { a: unknown }).a)).toBe(true)
    expect(isRawNumber({ rawJSON: '1' })).toBe(false)
  })

  it('refuses JSON that is too deep for the stack as it refuses text that is no JSON', () => {
    const deep = `${'['.repeat(1e5)}${']'.repeat(1e5)}`
    expect(() => parseExact(deep)).toThrow(new SyntaxError('the JSON is nested too deeply'))
  })

  it('returns the last value of a repeated key, with the digits that this value has in the text', () => {
    expect(JSON.stringify(parseExact('{"a":9007199254740993,"a":1}'))).toBe('{"a":1}')
    expect(JSON.stringify(parseExact('{"a":1,"a":9007199254740993}'))).toBe('{"a":9007199254740993}')
    expect(JSON.stringify(parseExact('{"a":{"b":1e400},"a":[2e400]}'))).toBe('{"a":[2e400]}')
    expect(JSON.stringify(parseExact('{"7":{"b":1e400,"b":3},"a":0,"7":{"b":1e401}}'))).toBe('{"7":{"b":1e401},"a":0}')
  })

  it('preserves __proto__ as an own key', () => {
    const value = parseExact('{"__proto__":{"x":1e400},"y":1}') as object
    expect(Object.keys(value)).toEqual(['__proto__', 'y'])
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1e400},"y":1}')
  })

  it('equals JSON.parse if all numbers are exact doubles', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: 'binary' }).map((value) => JSON.stringify(value)),
        (text) => {
          expect(parseExact(text)).toEqual(JSON.parse(text))
        },
      ),
    )
  })
})

describe('canonical JSON', () => {
  it('sorts keys by UTF-16 units at every depth, without white space', () => {
    expect(canonicalJson({ b: [{ z: 1, a: 2 }], a: { d: null, c: true }, '\u{1f600}': 1, '\ufb33': 2 })).toBe(
      '{"a":{"c":true,"d":null},"b":[{"a":2,"z":1}],"\u{1f600}":1,"\ufb33":2}',
    )
  })

  it('sorts keys that look like integers as text', () => {
    expect(canonicalJson({ 9: 1, 10: 2, a: { 2: 0, 11: { y: 1, x: 2 } } })).toBe(
      '{"10":2,"9":1,"a":{"11":{"x":2,"y":1},"2":0}}',
    )
    expect(
      canonicalJson([
        { b: 1, a: 2 },
        { '': 0, 1: 0, 0: 0 },
      ]),
    ).toBe('[{"a":2,"b":1},{"":0,"0":0,"1":0}]')
  })

  it('preserves __proto__ and toJSON, which mean nothing in JSON', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"d":1,"c":2},"toJSON":"x"}'))).toBe(
      '{"__proto__":{"c":2,"d":1},"b":1,"toJSON":"x"}',
    )
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":5}'))).toBe('{"__proto__":5,"b":1}')
  })

  it('writes preserved numbers verbatim, with and without keys that look like integers', () => {
    expect(canonicalJson(parseExact('{"b":1e400,"a":-0}'))).toBe('{"a":-0,"b":1e400}')
    expect(canonicalJson(parseExact('{"9":1e400,"10":-0}'))).toBe('{"10":-0,"9":1e400}')
  })

  it('escapes lone surrogates and leaves undefined members out', () => {
    expect(canonicalJson({ b: '\ud800', a: undefined, c: [undefined] })).toBe('{"b":"\\ud800","c":[null]}')
    expect(canonicalJson({ 9: '\udfff', 10: undefined })).toBe('{"9":"\\udfff"}')
  })

  it('does not change the value it writes', () => {
    const value = { b: { d: 1, c: [{ f: 1, e: 2 }] }, a: 1 }
    canonicalJson(value)
    expect(JSON.stringify(value)).toBe('{"b":{"d":1,"c":[{"f":1,"e":2}]},"a":1}')
  })

  it('equals the output of the package canonicalize (RFC 8785)', () => {
    const key = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.nat({ max: 20 }).map(String),
      fc.constantFrom('__proto__', 'toString', ''),
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: 'grapheme' }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map((pairs) => Object.fromEntries(pairs) as object),
      ),
    }))
    fc.assert(
      fc.property(value, (value) => canonicalJson(value) === canonicalize(value)),
      { numRuns: 2000 },
    )
  })
})
