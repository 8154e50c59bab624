import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { cacheKey, type CachedCall } from '../../../domain/cache/key.ts'
import { blake3Digest, canonicalText } from '../../../engine/cache/canonical.ts'
import type { Json, JsonObject } from '../../../engine/json.ts'

/** The bytes that are hashed, and their SHA-256. */
const K1 =
  '{"repeat":0,"request":{"body":{"max_tokens":4096,"messages":[{"content":"How long can I return order A-77?","role":"user"}],"model":"m-small","temperature":0},"headers":{"anthropic-version":"2023-06-01"},"method":"POST","path":"/v1/messages","transport":"http"}}'
const K2 =
  '{"repeat":0,"request":{"body":{"messages":[{"content":"Be brief.","role":"system"},{"content":"Zürich?","role":"user"},{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\\"city\\":\\"Zürich\\"}","name":"find"},"id":"service_call_2_0","type":"function"}]},{"content":"{\\"ok\\":true}","role":"tool","tool_call_id":"service_call_2_0"}],"model":"m-chat","tools":[{"function":{"description":"","name":"find","parameters":{"type":"object"}},"type":"function"}]},"method":"POST","path":"/chat/completions","transport":"http"}}'
const K3 =
  '{"repeat":0,"request":{"body":{"q":"How long?"},"method":"POST","output_expr":"response.json.answer","transport":"http","url":"https://bot.test/ask"}}'
const K4 =
  '{"provider_salt":"v2","repeat":0,"request":{"args":["bot.mjs"],"command":"node","stdin":{"params":{},"prompt":{"text":"How long can I return it?"},"service":{"kind":"provider","protocol":1},"vars":{"order":"A-77"}},"transport":"exec"}}'
const K5 =
  '{"case_salt":"c1","repeat":0,"request":{"args":["check.mjs"],"command":"node","stdin":{"config":{"min_days":14},"output":"Yes, 30 days.","provider":{"id":"crm-bot"},"service":{"kind":"assert","protocol":1},"vars":{"order":"A-77"}},"transport":"exec"}}'
const K6 =
  '{"repeat":0,"request":{"body":{"input":"Yes, 30 days.","model":"text-embedding-3-small"},"method":"POST","path":"/embeddings","transport":"http"}}'
const K7 =
  '{"repeat":0,"request":{"body":{"messages":[{"content":"<SYSTEM>","role":"system"},{"content":"RUBRIC:\\nNames the window\\n\\nASSISTANT OUTPUT:\\nYes, 30 days.","role":"user"}],"model":"m-judge","response_format":{"json_schema":{"name":"verdict","schema":{"additionalProperties":false,"properties":{"pass":{"type":"boolean"},"reasoning":{"type":"string"},"score":{"type":"number"}},"required":["reasoning","pass","score"],"type":"object"},"strict":true},"type":"json_schema"},"temperature":0},"method":"POST","path":"/chat/completions","transport":"http"}}'

const callOf = (text: string): CachedCall & { readonly request: JsonObject } => JSON.parse(text) as never
const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

describe('the key of', () => {
  it.each([
    ['the messages family (K1)', K1, 262, '17251b4632c2593f6ef75fa0adc9256b41bf8106b871f9601ba00f70178528d4'],
    ['the chat family (K2)', K2, 542, '953f1f7afaad7bab971ead813965b6ab75d32b5ee2fca3b5da573dd157a1d39d'],
    ['an http provider (K3)', K3, 150, '469b8c7d15bbdcb3778b1d8a2dcc5eebd7762c632c2ec5388cbb36d70e29c930'],
    ['an exec provider (K4)', K4, 235, '8b3669b835969ff1ec1beba0bfea0a83cddd9558f11394e958e87a3f66c2fa57'],
    ['an exec assertion (K5)', K5, 251, 'c027c9f14de5a43e79d372a5ea2ac43a45dbbda62977fc6fecb999786e5b94ca'],
    ['an embedding (K6)', K6, 146, 'd4172fcb371273cfcd5887b904ab8c7ea3ca5efd2a47e27948b6ebd0518b2f8b'],
    ['a judge of the chat family (K7)', K7, 552, '55bbe5838f8a06a72456a678fcf224597267f937dd1ffd2cb75dfea12ac441e9'],
  ])('%s', (_, text, bytes, hex) => {
    expect(Buffer.byteLength(text)).toBe(bytes)
    expect(sha256(text)).toBe(`sha256:${hex}`)
    expect(canonicalText(callOf(text) as unknown as Json)).toBe(text)
    expect(cacheKey(callOf(text))).toBe(`sha256:${hex}`)
  })

  it.each([
    ['repeat 1', { repeat: 1 }, '6c3238c6527377a2f7465312ec139c0a9e80346cd177bec1c4434da229c45c52'],
    [
      'a salt of the test',
      { case_salt: '2026-08' },
      '32b8369e38ec7dceb30447564e387bfbccbf993563011e16eb1b72b80207a35d',
    ],
    [
      'a salt of the test and an empty one of the provider',
      { case_salt: '2026-08', provider_salt: '' },
      'f59efc23954f363b694c40dfeb888997b5ffe5d31034f9103f93ea695e416d8d',
    ],
  ])('K1 with %s', (_, variant, hex) => expect(cacheKey({ ...callOf(K1), ...variant })).toBe(`sha256:${hex}`))

  it('K1 with a declared header', () => {
    const headers_digest = blake3Digest({ 'x-tenant': '${env:TENANT}' })
    expect(cacheKey({ ...callOf(K1), request: { ...callOf(K1).request, headers_digest } })).toBe(
      'sha256:ead61f42543cfa9b99026d7424ed9fe034f170b16307444fba1da85805778628',
    )
  })

  it('K4 with an environment', () => {
    const env_digest = blake3Digest({ MODE: 'fast' })
    expect(cacheKey({ ...callOf(K4), request: { ...callOf(K4).request, env_digest } })).toBe(
      'sha256:cf2add2004aa74944fc32c8fd1552d4dccf17e95083aafe6ee168469b596d242',
    )
  })
})

it('keys beyond U+FFFF come after all others', () => {
  const request = { '\u{1f600}': 1, '\uffff': 2 }
  expect(cacheKey({ request, repeat: 0 })).toBe(sha256('{"repeat":0,"request":{"\uffff":2,"\u{1f600}":1}}'))
})
