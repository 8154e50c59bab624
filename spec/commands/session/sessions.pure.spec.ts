import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { signedIn, signedOut, signInRefused, sessionSpan } from '../../../commands/session/events.ts'
import { refuseSignIn } from '../../../commands/session/refuse-sign-in.ts'
import { signIn } from '../../../commands/session/sign-in.ts'
import { signOut } from '../../../commands/session/sign-out.ts'
import { viewerOf } from '../../support/access/accounts.ts'
import { given } from '../../support/decisions.ts'
import { member } from '../../support/access/viewers.ts'

const user = { id: 'u', disabled: false }
const session = { session_id: 's', token_hash: 'h' }

describe('signing in', () => {
  const request = signIn(member, { user_id: 'u', password_hash: '$hash', ...session })

  it('opens a session', () => given({ user, hash: '$hash' }).when(request).then(signedIn('u', session)))

  it.each([
    ['the account was deleted', null, '$hash'],
    ['it was disabled', { ...user, disabled: true }, '$hash'],
    ['it got another password', user, '$other'],
    ['it no longer has one', user, null],
  ])('is refused if %s after the password check', (_, currentUser, hash) =>
    given({ user: currentUser, hash }).when(request).refused('unauthenticated', 'invalid credentials'),
  )

  it('stores the digest of the token next to the event', () => {
    const [event] = given({ user, hash: '$hash' }).when(request).decides()
    expect(JSON.stringify(event?.data)).not.toContain('"h"')
    expect(event?.statements).toHaveLength(3)
    expect(event?.data).toMatchObject({ credential_sha256: createHash('sha256').update('h').digest('hex') })
  })
})

describe('signing out', () => {
  const currentAccess = { scope: 'write', sees_all: false }
  const bySession = viewerOf({ kind: 'session', credential_id: 's', user_id: 'u' }, null)

  it('ends the session of the request', () =>
    given({ currentAccess })
      .when(signOut(bySession, {}))
      .then(signedOut({ session_id: 's', user_id: 'u' })))
  it('does nothing for another kind of credential', () => {
    given({ currentAccess })
      .when(signOut(viewerOf({ kind: 'apikey', credential_id: 'k', user_id: 'u' }, null), {}))
      .then()
    given({}).when(signOut(member, {})).then()
  })
  it('is refused if the session ended already', () =>
    given({ currentAccess: { scope: null, sees_all: false } })
      .when(signOut(bySession, {}))
      .refused('unauthenticated'))
})

it('a refused sign-in is recorded in its own stream', () => {
  const data = { count: 1, reason: 'wrong_password', user_id: 'u' } as const
  given({})
    .when(refuseSignIn(member, { attempt_id: 'a', ...data }))
    .then(signInRefused('a', data))
  expect(signInRefused('a', data).stream).toBe('sign-in/a')
})

describe('the span of a session', () => {
  const released = { lifetime_ms: 1000, session_id: 's', user_id: 'u' }
  it('starts at the time of the record for an event of the oldest format, without `expires_at`', () =>
    expect(sessionSpan(released, 5000)).toEqual({ from: 5000, to: 6000 }))
  it('is computed from its end if that is recorded', () =>
    expect(sessionSpan({ ...released, expires_at: 3000 }, 5000)).toEqual({ from: 2000, to: 3000 }))
  it('starts at the time of the record if `expires_at` is null', () =>
    expect(sessionSpan({ ...released, expires_at: null }, 5000)).toEqual({ from: 5000, to: 6000 }))
})
