import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../engine/json.ts'
import { reportedByModel, reportedError } from '../../../../engine/providers/wire/reported-error.ts'

const choice = (members: { readonly [name: string]: Json }): Json => ({
  choices: [{ message: { content: 'a part' }, ...members }],
})

describe('the error that a response of status 200 reports', () => {
  it.each<[Json, string, boolean, string]>([
    [{ error: { message: 'overloaded', code: 503 } }, 'provider_unavailable', true, 'overloaded'],
    [{ error: { message: 'slow down', code: 429 } }, 'provider_rate_limit', true, 'slow down'],
    [{ error: { message: 'slow down', code: '429' } }, 'provider_rate_limit', true, 'slow down'],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'o' } }, 'provider_unavailable', true, 'o'],
    [{ error: { type: 'rate_limit_error', message: 'o' } }, 'provider_rate_limit', true, 'o'],
    [{ error: { type: 'insufficient_quota', message: 'o' } }, 'provider_rate_limit', true, 'o'],
    [{ error: { type: 'authentication_error', message: 'o' } }, 'provider_auth', false, 'o'],
    [{ error: { code: 401, message: 'o' } }, 'provider_auth', false, 'o'],
    [{ error: { code: 400, message: 'too long' } }, 'provider_request', false, 'too long'],
    // No status of HTTP: JSON-RPC.
    [{ jsonrpc: '2.0', error: { code: -32000, message: 'busy' } }, 'provider_unavailable', true, 'busy'],
    [{ error: { code: 7 } }, 'provider_unavailable', true, '{"code":7}'],
    [{ error: 'model not loaded' }, 'provider_unavailable', true, 'model not loaded'],
    [{ error: true }, 'provider_unavailable', true, 'true'],
    [choice({ finish_reason: 'error' }), 'provider_unavailable', true, 'the answer ended with an error'],
    [choice({ finish_reason: 'error', error: { code: 502, message: 'up' } }), 'provider_unavailable', true, 'up'],
    [choice({ error: { code: 429, message: 'up' } }), 'provider_rate_limit', true, 'up'],
    [
      choice({ finish_reason: 'insufficient_system_resource' }),
      'provider_unavailable',
      true,
      'the answer ended with an error',
    ],
    [{ content: [], stop_reason: 'error' }, 'provider_unavailable', true, 'the answer ended with an error'],
  ])('of %j is of class %s, retriable: %s', (payload, errorClass, retriable, message) => {
    expect(reportedError(payload, null)).toMatchObject({
      errorClass,
      retriable,
      message: `the response reports an error: ${message}`,
    })
  })

  it.each<Json>([
    {},
    { error: null },
    { error: '' },
    { error: ' ' },
    { error: false },
    { error: 0 },
    { error: {} },
    { error: [] },
    choice({ finish_reason: 'stop', error: null }),
    choice({ finish_reason: 'length' }),
    { choices: [] },
    { data: { error: { message: 'a word of the answer' } } },
    [{ error: 'x' }],
    'error',
    null,
  ])('is none in %j', (payload) => expect(reportedError(payload, null)).toBeNull())

  it('keeps the whole error, waits as the headers ask, and quotes 500 characters', () => {
    const error = { code: 429, message: 'x'.repeat(900) }
    const failure = reportedError({ error }, 2000)
    expect(failure).toMatchObject({ details: error, retryAfterMs: 2000 })
    expect(failure?.message).toHaveLength('the response reports an error: '.length + 500)
    expect(reportedError({ error: { code: 401 } }, 2000)?.retryAfterMs).toBeNull()
  })
})

describe('the error that an API of models reports with status 200, without an answer', () => {
  it.each<[Json, string, boolean, string]>([
    [{ errors: [{ code: 7003, message: 'no route' }] }, 'provider_unavailable', true, 'no route'],
    [{ errors: ['boom'], choices: null }, 'provider_unavailable', true, 'boom'],
    [{ success: false, message: 'bad key' }, 'provider_unavailable', true, 'bad key'],
    [{ object: 'error', code: 400, message: 'too long' }, 'provider_request', false, 'too long'],
    [{ code: '429', message: 'slow down' }, 'provider_rate_limit', true, 'slow down'],
  ])('of %j is of class %s, retriable: %s', (payload, errorClass, retriable, message) => {
    const text = `the response reports an error: ${message}`
    expect(reportedByModel(payload, null)).toMatchObject({ errorClass, retriable, message: text })
    // Other services may answer with such members.
    expect(reportedError(payload, null)).toBeNull()
  })

  it.each<Json>([
    { choices: [{ message: { content: 'x' } }], errors: ['late'] },
    { content: [{ type: 'text', text: 'x' }], code: 500 },
    { errors: [], choices: [] },
    { code: 200 },
    {},
  ])('is none in %j', (payload) => expect(reportedByModel(payload, null)).toBeNull())
})
