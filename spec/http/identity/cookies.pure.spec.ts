import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clearedCookie, readSessionCookie, sessionCookie } from '../../../http/identity/cookies.ts'
import { newApiKey, newSessionToken } from '../../../http/identity/secrets.ts'

const token = newSessionToken()
const other = newSessionToken()

describe('the session cookie', () => {
  it.each([
    ['alone', `service_session=${token}`],
    ['among others', `a=b; service_session=${token}; c=d`],
    ['without spaces', `a=b;service_session=${token};c=d`],
    ['with more spaces and tabs', `a=b; \t service_session=${token} \t; c`],
    [
      'after cookies of similar names',
      `xservice_session=${other}; service_session2=${other}; SERVICE_SESSION=${other}; service_session=${token}`,
    ],
    ['after malformed pairs', `; =; ==; service_session; ${other}; service_session=${token}`],
    ['from the first of two', `service_session=${token}; service_session=${other}`],
  ])('is read %s', (_, header) => expect(readSessionCookie(header)).toBe(token))

  it.each([
    ['there is no header', undefined],
    ['the header is empty', ''],
    ['the header has no such cookie', `session=${token}`],
    ['it is empty', 'service_session='],
    ['it is quoted', `service_session="${token}"`],
    ['it holds an API key', `service_session=${newApiKey()}`],
    ['it holds a static token', 'service_session=secret'],
    ['it is too long', `service_session=${token}0`],
    ['it is not lower-case hex', `service_session=${token.toUpperCase()}`],
    ['it is separated by a comma', `service_session=${token}, service_session=${token}`],
    ['a space is before the equals sign', `service_session =${token}`],
    ['a space of another kind surrounds it', `\u00a0service_session=${token}`],
    ['a line follows', `service_session=${token}\n`],
    ['a word follows', `service_session=${token} x`],
    ['a word comes first, whatever the next cookie', `service_session=x ${token}; service_session=${token}`],
    ['the first one is wrong, whatever the second', `service_session=x; service_session=${token}`],
  ])('is null when %s', (_, header) => expect(readSessionCookie(header)).toBeNull())

  it('is null or one token, for any header', () => {
    const part = fc.oneof(fc.string(), fc.constantFrom('service_session', '=', ';', ' ', token, '"', ','))
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        expect([null, token]).toContain(readSessionCookie(parts.join('')))
      }),
    )
  })

  it('is hidden from scripts and other sites, and lasts 30 days', () => {
    expect(sessionCookie(token, { secure: false })).toBe(
      `service_session=${token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000`,
    )
    expect(sessionCookie(token, { secure: true })).toBe(
      `service_session=${token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000; Secure`,
    )
  })

  it('is cleared under the same name and path', () => {
    expect(clearedCookie({ secure: false })).toBe('service_session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0')
    expect(clearedCookie({ secure: true })).toBe('service_session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0; Secure')
  })

  it('is read back as it is set, and null after it is cleared', () => {
    const headerOf = (cookie: string): string => cookie.split(';')[0] ?? ''
    expect(readSessionCookie(headerOf(sessionCookie(token, { secure: true })))).toBe(token)
    expect(readSessionCookie(headerOf(clearedCookie({ secure: true })))).toBeNull()
  })
})
