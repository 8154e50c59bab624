import { describe, expect, it } from 'vitest'
import type { SsoCode } from '../../../../http/sso/provider.ts'
import { problemOf } from '../../../../webapp/pages/login/sign-in-problem.ts'

/** Each code of the server once: a missing or unknown one does not compile. */
const CODES: Readonly<Record<SsoCode, true>> = {
  access_denied: true,
  invalid_state: true,
  expired: true,
  email_not_allowed: true,
  replayed: true,
  account_disabled: true,
  provider_error: true,
  internal: true,
}

describe('the words of a failed sign-in', () => {
  it('are different for each code of the server', () => {
    const titles = Object.keys(CODES).map((code) => problemOf(code, 'Acme').title)
    expect(new Set([...titles, problemOf('unknown', 'Acme').title]).size).toBe(titles.length + 1)
    const advice = Object.keys(CODES).map((code) => problemOf(code, 'Acme').advice)
    expect(new Set([...advice, problemOf('unknown', 'Acme').advice]).size).toBe(advice.length + 1)
  })

  it('name the provider, or no provider', () => {
    expect(problemOf('replayed', 'Acme').advice).toContain('A response of Acme can be used only once')
    expect(problemOf('replayed', null).advice).toContain('A response of the identity provider can be used only once')
  })

  it.each(['', 'no_such_code', '<b>bold</b>', 'constructor', '__proto__', null, undefined, ['replayed'], 7])(
    'are general for the code %j, and do not repeat it',
    (code) => {
      const problem = problemOf(code, 'Acme')
      expect(problem).toEqual(problemOf('unknown', null))
      expect(JSON.stringify(problem)).not.toContain('<b>')
    },
  )
})
