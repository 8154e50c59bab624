import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { signedIn, signedOut, signInRefused, spanOf } from '../../../commands/session/events.ts'
import { refuseSignIn } from '../../../commands/session/refuse-sign-in.ts'
import { signIn } from '../../../commands/session/sign-in.ts'
import { signOut } from '../../../commands/session/sign-out.ts'
import { viewerOf } from '../../support/access/accounts.ts'
import { given } from '../../support/decisions.ts'
import { member } from '../../support/access/viewers.ts'

const user = { id: 'u', disabled: false }
const session = { session_id: 's', token_hash: 'h' }

describe('signing in', () => {
  const asked = signIn(member, { user_id: 'u', password_hash: '$hash', ...session })

  it('opens a session', () => given({ user, hash: '$hash' }).when(asked).then(signedIn('u', session)))

  it.each([
    ['the account went', null, '$hash'],
    ['it was disabled', { ...user, disabled: true }, '$hash'],
    ['it got another password', user, '$other'],
    ['it has none any more', user, null],
  ])('is refused when %s since the password was checked', (_, now, hash) =>
    given({ user: now, hash }).when(asked).refused('unauthenticated', 'invalid credentials'),
  )

  it("keeps the token's digest beside the event", () => {
    const [event] = given({ user, hash: '$hash' }).when(asked).decides()
    expect(JSON.stringify(event?.data)).not.toContain('"h"')
    expect(event?.alongside).toHaveLength(2)
    expect(event?.data).toMatchObject({ credential_sha256: createHash('sha256').update('h').digest('hex') })
  })
})

describe('signing out', () => {
  const standing = { scope: 'write', sees_all: false }
  const bySession = viewerOf({ kind: 'session', credential_id: 's', user_id: 'u' }, null)

  it('ends the session that was presented', () =>
    given({ standing })
      .when(signOut(bySession, {}))
      .then(signedOut({ session_id: 's', user_id: 'u' })))
  it('does nothing for another credential', () => {
    given({ standing })
      .when(signOut(viewerOf({ kind: 'apikey', credential_id: 'k', user_id: 'u' }, null), {}))
      .then()
    given({}).when(signOut(member, {})).then()
  })
  it('is refused when it ended already', () =>
    given({ standing: { scope: null, sees_all: false } })
      .when(signOut(bySession, {}))
      .refused('unauthenticated'))
})

describe('a refused sign-in', () => {
  it('is recorded in a stream of its own', () => {
    const data = { count: 1, reason: 'wrong_password', user_id: 'u' } as const
    given({})
      .when(refuseSignIn(member, { attempt_id: 'a', ...data }))
      .then(signInRefused('a', data))
    expect(signInRefused('a', data).stream).toBe('sign-in/a')
  })
})

describe('the span of a session', () => {
  const released = { lifetime_ms: 1000, session_id: 's', user_id: 'u' }
  it('counts from its record, as the first version recorded it', () =>
    expect(spanOf(released, 5000)).toEqual({ from: 5000, to: 6000 }))
  it('is told by its end, whatever the time of the record', () =>
    expect(spanOf({ ...released, expires_at: 3000 }, 5000)).toEqual({ from: 2000, to: 3000 }))
  it('counts from its record where no time was given', () =>
    expect(spanOf({ ...released, expires_at: null }, 5000)).toEqual({ from: 5000, to: 6000 }))
})
