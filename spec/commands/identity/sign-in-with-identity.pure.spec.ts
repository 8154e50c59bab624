import { describe, expect, it } from 'vitest'
import { userChanged, userCreated } from '../../../commands/account/events.ts'
import { identityLinked, signedInThrough } from '../../../commands/identity/events.ts'
import { signInWithIdentity, type AssertedSignIn } from '../../../commands/identity/sign-in-with-identity.ts'
import { given } from '../../support/decisions.ts'
import { member } from '../../support/access/viewers.ts'

const PROVIDER = 'oidc:corp'
const SUBJECT = 'subject of ada'
const SALT = 'a'.repeat(32)
const EMAIL = 'ada@corp.example'
const AT = 1_777_885_244_000
const session = { session_id: 's', token_hash: 'h', at: AT }
const linked = { identity_id: 'i', user_id: 'u' }
const signIn = { session, email: EMAIL, replay: null }

const asserted = (changes: Partial<AssertedSignIn> = {}) =>
  signInWithIdentity(member, {
    ...session,
    provider: PROVIDER,
    subject: SUBJECT,
    salt: SALT,
    label_salt: SALT,
    email: EMAIL,
    role: 'member',
    rule: 'default_role',
    usernames: ['ada', 'ada-2'],
    expected: null,
    ...linked,
    replay: null,
    ...changes,
  })

const nothing = { linked: null, user: null, otherAdmins: 1, takenNames: [], isReplayed: false, granted: [] }
const known = { ...nothing, linked, user: { id: 'u', role: 'member', disabled: false } }
const cause = { identity_id: 'i', provider: PROVIDER, rule: 'default_role' as const }
const again = { expected: linked, identity_id: 'new i', user_id: 'new u' }

/** The outcome that the command returns for these facts. */
const outcomeOf = (command: ReturnType<typeof asserted>, facts: object): unknown =>
  command.result([], null, { ...facts, currentAccess: { scope: null, sees_all: false } } as never).outcome

describe('a first sign-in through a provider', () => {
  it.each([
    [[], 'ada'],
    [['ada'], 'ada-2'],
  ])('creates an account without a password, links it and signs it in (taken: %j)', (takenNames, username) => {
    const facts = { ...nothing, takenNames }
    const [created, identity, opened] = given(facts).when(asserted()).decides()
    given(facts)
      .when(asserted())
      .then(
        userCreated(
          { cause, has_password: false, role: 'member', user_id: 'u' },
          { username, password_hash: null, label_salt: SALT },
        ),
        identityLinked(
          { identity_id: 'i', provider: PROVIDER, user_id: 'u' },
          { subject: SUBJECT, salt: SALT, email: EMAIL, at: AT },
        ),
        signedInThrough(linked, signIn),
      )
    expect(created?.data).toMatchObject({ credential_sha256: null })
    expect(created?.statements).toHaveLength(1)
    expect(created?.statements?.[0]).toMatchObject({ values: ['u', 'user', username, SALT] })
    expect(opened?.data).toMatchObject({ identity_id: 'i' })
    expect(JSON.stringify([created, identity, opened].map((event) => event?.data))).not.toMatch(/subject|corp\.example/)
    expect(outcomeOf(asserted(), facts)).toBe('signed_in')
  })

  it('records nothing if all names are taken', () => {
    const facts = { ...nothing, takenNames: ['ada', 'ada-2'] }
    given(facts).when(asserted()).then()
    expect(outcomeOf(asserted(), facts)).toBe('conflict')
  })

  it('records nothing if another sign-in has created the account', () => {
    given(known)
      .when(asserted({ identity_id: 'j', user_id: 'v' }))
      .then()
    expect(asserted({ identity_id: 'j', user_id: 'v' }).result([], null, known as never)).toEqual({
      outcome: 'conflict',
      linked,
    })
  })
})

describe('a later sign-in', () => {
  it('only signs in if the role is the same', () =>
    given(known).when(asserted(again)).then(signedInThrough(linked, signIn)))

  it.each([
    ['promotes', 'member', 'admin', 0],
    ['demotes', 'admin', 'member', 1],
    ['follows another default role', 'member', 'viewer', 0],
    ['promotes the only account', 'viewer', 'admin', 0],
  ] as const)('%s the account, with the cause', (_, before, role, otherAdmins) =>
    given({ ...known, user: { ...known.user, role: before }, otherAdmins })
      .when(asserted({ ...again, role }))
      .then(
        userChanged({ cause, disabled: null, password_replaced: false, role, user_id: 'u' }, null),
        signedInThrough(linked, signIn),
      ),
  )

  it('does not demote the last enabled admin', () =>
    given({ ...known, user: { ...known.user, role: 'admin' }, otherAdmins: 0 })
      .when(asserted(again))
      .then(signedInThrough(linked, signIn)))

  it.each(['member', 'admin'])('records nothing for a disabled account, also of a %s', (role) => {
    const facts = { ...known, user: { ...known.user, role, disabled: true } }
    given(facts)
      .when(asserted({ ...again, role: 'admin' }))
      .then()
    expect(outcomeOf(asserted(again), facts)).toBe('account_disabled')
  })

  it('records nothing if the account was deleted, so that no id is used again', () => {
    given(nothing).when(asserted(again)).then()
    expect(asserted(again).result([], null, nothing as never)).toEqual({ outcome: 'conflict', linked: null })
  })

  it.each([
    ['account', { identity_id: 'i', user_id: 'other' }],
    ['identity', { identity_id: 'other', user_id: 'u' }],
  ])('records nothing if the %s is another one now', (_, now) => {
    given({ ...known, linked: now })
      .when(asserted(again))
      .then()
    expect(outcomeOf(asserted(again), { ...known, linked: now })).toBe('conflict')
  })
})

describe('an assertion', () => {
  const replay = { id_hash: 'r', expires_at: AT + 1 }
  it('is refused if it was accepted before', () => {
    for (const facts of [nothing, known]) {
      given({ ...facts, isReplayed: true })
        .when(asserted({ replay }))
        .then()
      expect(outcomeOf(asserted({ replay }), { ...facts, isReplayed: true })).toBe('replayed')
    }
  })
  it('is stored with the sign-in', () => {
    const statements = given(nothing).when(asserted({ replay })).decides().at(-1)?.statements ?? []
    expect(statements.at(-1)).toMatchObject({ values: ['r', AT + 1] })
  })
})

it('the actor of a sign-in is the account with its new session', () => {
  expect(asserted().actor).toMatchObject({ kind: 'session', user_id: 'u', credential_id: 's' })
  expect(asserted(again).actor).toMatchObject({ kind: 'session', user_id: 'u', credential_id: 's' })
})
