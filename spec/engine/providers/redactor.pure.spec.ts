import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExact } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../engine/json.ts'
import { redactor } from '../../../engine/providers/redactor.ts'

describe('redactor', () => {
  it('finds a value in bytes that are no text', () => {
    const { bytes } = redactor([['KEY', 'schlüssel-0123']])
    const before = Buffer.from([0xff, 0x00, 0xfe])
    expect(Buffer.from(bytes(Buffer.concat([before, Buffer.from('schlüssel-0123'), before])))).toEqual(
      Buffer.concat([before, Buffer.from('[redacted KEY]'), before]),
    )
    expect(bytes(before)).toBe(before)
  })

  it('replaces each value by its name, the longest first', () => {
    const { text } = redactor(
      new Map([
        ['KEY', 'sk-12345678'],
        ['header authorization', 'Bearer sk-12345678'],
      ]),
    )
    expect(text('got Bearer sk-12345678, or sk-12345678 sk-12345678')).toBe(
      'got [redacted header authorization], or [redacted KEY] [redacted KEY]',
    )
  })

  it('finds credentials without their scheme, and all values of one name', () => {
    const { text } = redactor([
      ['header authorization', 'Bearer one-12345678'],
      ['header authorization', 'basic dXNlcjpwYXNz'],
    ])
    expect(text('one-12345678, Bearer one-12345678 and dXNlcjpwYXNz')).toBe(
      '[redacted header authorization], [redacted header authorization] and [redacted header authorization]',
    )
  })

  it('finds a value with percent signs and with the escapes of JSON', () => {
    const { text } = redactor(new Map([['KEY', 'a/b "c"+d']]))
    expect(text('?k=a%2Fb%20%22c%22%2Bd')).toBe('?k=[redacted KEY]')
    expect(text(JSON.stringify({ k: 'a/b "c"+d' }))).toBe('{"k":"[redacted KEY]"}')
  })

  it('finds a whole value as base64, base64url and hex', () => {
    const secret = 'a?>~key~>?0'
    const bytes = Buffer.from(secret)
    const { text } = redactor(new Map([['KEY', secret]]))
    const padded = bytes.toString('base64')
    expect(padded).toMatch(/[+/]/)
    expect(padded.endsWith('=')).toBe(true)
    for (const form of [
      padded,
      padded.replace('=', ''),
      padded.replaceAll('+', '-').replaceAll('/', '_'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
    ])
      expect(text(`x:${form};`)).toBe('x:[redacted KEY];')
  })

  it('leaves values below eight characters', () =>
    expect(redactor(new Map([['STAGE', 'test123']])).text('test123')).toBe('test123'))

  it('replaces in strings and names of members, and returns the same value where there is no secret', () => {
    const { json } = redactor(new Map([['KEY', 'sk-12345678']]))
    expect(json({ 'sk-12345678': ['x sk-12345678', 1, null, { a: true }] })).toEqual({
      '[redacted KEY]': ['x [redacted KEY]', 1, null, { a: true }],
    })
    const clean = parseExact('{"a":["b",{"c":12345678901234567890}]}') as Json
    expect(json(clean)).toBe(clean)
    expect(json(undefined)).toBeUndefined()
  })

  it('leaves no secret in any JSON value', () => {
    const secret = 'canary-$&-0123'
    const { json } = redactor(new Map([['KEY', secret]]))
    const text = fc.oneof(
      fc.string(),
      fc.string().map((around) => `${around}${secret}${around}`),
    )
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(text), (value, texts) => {
        const result = json({ value, texts } as Json)
        expect(JSON.stringify(result)).not.toContain(secret)
      }),
    )
  })
})
