import { describe, expect, it } from 'vitest'
import { isSecretName, secretHeaders, secretPassed, secretVariablesIn } from '../../../engine/providers/secret-names.ts'

describe('the name of a variable', () => {
  it.each(['OPENAI_API_KEY', 'bot_token', 'DB_PASSWORD', 'Authorization', 'x-api-key', 'SESSION', 'Cookie'])(
    'says that it is a secret: %s',
    (name) => expect(isSecretName(name)).toBe(true),
  )
  it.each(['TENANT', 'REGION', 'HOME', 'content-type'])('does not: %s', (name) =>
    expect(isSecretName(name)).toBe(false),
  )
})

describe('secrets of a request', () => {
  it('are variables in headers of credentials, and variables with such a name anywhere', () =>
    expect([
      ...secretVariablesIn(
        { authorization: 'Bearer {{ env.BOT }}', 'x-tenant': '{{ env.TENANT }}', 'x-run': '{{ env.RUN_TOKEN }}' },
        ['https://{{ env.REGION }}.test/?k={{ env.URL_KEY }}', { a: ['{{ env["BODY_SECRET"] }}'] }],
      ),
    ]).toEqual(['BOT', 'RUN_TOKEN', 'URL_KEY', 'BODY_SECRET']))
  it('are rendered headers that contain one', () =>
    expect(
      secretHeaders(
        { authorization: 'Bearer {{ env.BOT }}', 'x-tenant': '{{ env.TENANT }}', 'x-api-key': 'written' },
        { authorization: 'Bearer b', 'x-tenant': 't', 'x-api-key': 'written' },
      ),
    ).toEqual([['authorization', 'Bearer b']]))
})

it('variables that programs get are secrets, but for the usual ones', () =>
  expect(secretPassed(['MY_VALUE', 'HOME', 'LC_ALL', 'API_KEY', 'KEY_DIR', 'SERVICE_URL'])).toEqual([
    'MY_VALUE',
    'API_KEY',
    'KEY_DIR',
  ]))
