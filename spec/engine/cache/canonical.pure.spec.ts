import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, parseExact } from '../../../domain/run/canonical-json.ts'
import { blake3Bytes, blake3Digest, canonicalText } from '../../../engine/cache/canonical.ts'
import type { Json } from '../../../engine/json.ts'

/** A value whose numbers keep the text that they have in the JSON. */
const exactly = (text: string): Json =>
  JSON.parse(text, (_key, value: unknown, ...[context]: [{ source: string }?]) =>
    typeof value === 'number' ? (JSON as unknown as { rawJSON(source: string): Json }).rawJSON(context!.source) : value,
  ) as Json

describe('canonical JSON', () => {
  it('sorts keys by their UTF-8 bytes', () => {
    const value = { '\u{1f600}': 1, '\uffff': 2, '\ue000': 3, z: 4, '10': 5, '9': 6 }
    expect(canonicalText(value)).toBe('{"10":5,"9":6,"z":4,"\ue000":3,"\uffff":2,"\u{1f600}":1}')
  })
  it('sorts nested keys by their UTF-8 bytes', () =>
    expect(canonicalText([{ a: { '\u{1f600}': 1, '\uffff': [{ y: 1, b: null }] } }])).toBe(
      '[{"a":{"\uffff":[{"b":null,"y":1}],"\u{1f600}":1}}]',
    ))
  it('keeps the text of numbers that no double represents', () => {
    const text = '{"\u{1f600}":[9007199254740993,1e400,-0]}'
    expect(canonicalText(parseExact(text) as Json)).toBe(text)
  })
  it('writes numbers and escapes as JSON.stringify', () =>
    expect(canonicalText({ b: 1.0, a: '"\\\b\f\n\r\t\u0001\u007fé\u2028\ud800' })).toBe(
      '{"a":"\\"\\\\\\b\\f\\n\\r\\t\\u0001\u007fé\u2028\\ud800","b":1}',
    ))
  it('leaves out members that are undefined', () =>
    expect(canonicalText({ '\u{1f600}': undefined, a: 1 } as unknown as Json)).toBe('{"a":1}'))

  it('has the members of an object in the order of the bytes of their keys', () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 })), (value) => {
        const keys = Object.keys(value).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        const members = keys.map((key) => `${JSON.stringify(key)}:${canonicalText(value[key] as Json)}`)
        expect(canonicalText(value as Json)).toBe(`{${members.join(',')}}`)
        expect(JSON.parse(canonicalText(value as Json))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: 40 },
    ))
  it('is in the order of UTF-16 units where all keys are below U+FFFF', () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ unit: 'binary' })), (value) => {
        expect(canonicalText(value)).toBe(canonicalJson(value))
      }),
    ))
})

describe('a digest', () => {
  it('is BLAKE3 of the bytes', () =>
    expect(blake3Bytes(new Uint8Array())).toBe(
      'blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262',
    ))

  it.each([
    [
      'a prompt',
      '{"case_salt":null,"params":{},"prompt":{"text":"How long can I return order A-77?"},"vars":{"order":"A-77"}}',
      'ee6d1e929cec3df019f8015d427b8dd5439d393d6267b5ca8392df9193fe3e70',
    ],
    [
      'a provider of the messages family',
      '{"base_url":"https://api.anthropic.com","model":"m-small","params":{"temperature":0},"type":"anthropic"}',
      '01298faf6545f0ebc67e27cdc8ee87628410554e11383220b2237cceb921a8e6',
    ],
    [
      'an exec provider',
      '{"cache_salt":"v2","command":["node","bot.mjs"],"env":null,"type":"exec"}',
      '2335297291f2855fe2c54b6927cc2c7503f6728a3a6098a41e1daedc1d65f4dc',
    ],
    [
      'an http provider',
      '{"body":{"q":"{{ prompt }}"},"method":"POST","output_expr":"response.json.answer","type":"http","url":"https://bot.test/ask"}',
      '674778981ea958dfb42000f7becdb753dd34ff21cdb38359d1c5f89b3df14cfd',
    ],
    [
      'a local assertion',
      '{"criteria":{"type":"icontains","value":"30 days"},"kind":"icontains","weight":1.0}',
      '99ae513b1e74da8ecc02f49dbbfd5c7fa145369c69821a48b4f0cf6e00c9aec8',
    ],
    [
      'a graded assertion',
      '{"criteria":{"type":"llm-rubric","value":"States the return window"},"kind":"llm-rubric","weight":2.0}',
      'f5eb508840db4ae8be63d542a84cacc36a84e8f0d1f5716c38277f2011c8b886',
    ],
    [
      'the assertions of a case',
      '{"asserts":["blake3:99ae513b1e74da8ecc02f49dbbfd5c7fa145369c69821a48b4f0cf6e00c9aec8","blake3:f5eb508840db4ae8be63d542a84cacc36a84e8f0d1f5716c38277f2011c8b886"],"threshold":null}',
      '5249b2b1b5f76a0849df66d13851b4a784cad160cf149ca8cde725ee18e17358',
    ],
    [
      'the prompts of a suite',
      '[{"id":"terse","template":"How long can I return order {{ order }}?"}]',
      'c843bc8fd9c80819f73c1f2814175d54151eaad0c099cfdb356dc921acf2feec',
    ],
    [
      'the tests of a suite',
      '[{"body":{"id":"refund/eligible","tags":["smoke"],"vars":{"order":"A-77"}},"id":"refund/eligible"}]',
      '98b57dab33fa6f463a1cecd56b6cd845961f3f2dc30f235b77bca8729973bede',
    ],
    [
      'the environment of a program',
      '{"MODE":"fast"}',
      'e4a627b60bbccb610089b88d1d1e51f16967198a5f79e3424d73d39dfe3f0ee2',
    ],
    [
      'declared headers',
      '{"x-tenant":"${env:TENANT}"}',
      'dcf719fb43ba08c05bca2639f3f401c506858457dd920f01dc3cac676f85b545',
    ],
  ])('covers %s', (_, text, hex) => {
    expect(canonicalText(exactly(text))).toBe(text)
    expect(blake3Digest(exactly(text))).toBe(`blake3:${hex}`)
  })

  it('covers files by path and content', () =>
    expect(blake3Bytes(Buffer.from('bot/a.txt\0one\n\0bot/b.txt\0two\n\0'))).toBe(
      'blake3:c30331dd367526ecd33ba6bc54b65bbb8cdaac0ab234fcc5aaeb8d2f6508b7dc',
    ))
})
