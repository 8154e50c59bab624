import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { accessRevoked } from '../../../commands/access/events.ts'
import { changeUser, type UserChange } from '../../../commands/account/change-user.ts'
import { createUser } from '../../../commands/account/create-user.ts'
import { deleteUser } from '../../../commands/account/delete-user.ts'
import { ensureAdmin, type EnsuredAdmin } from '../../../commands/account/ensure-admin.ts'
import { userChanged, userCreated, userDeleted } from '../../../commands/account/events.ts'
import { setUp } from '../../../commands/account/set-up.ts'
import { signedIn } from '../../../commands/session/events.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { webhookDeleted } from '../../../commands/webhook/events.ts'
import { given } from '../../support/decisions.ts'
import { admin } from '../../support/access/viewers.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const credentials = { username: 'ada', password_hash: '$hash', label_salt: '0'.repeat(32) }
const user = { id: 'u', username: 'ada', role: 'admin', disabled: false, has_password: true, created_at: 0 } as const
const created = (role: 'admin' | 'member') => userCreated({ has_password: true, role, user_id: 'u' }, credentials)

describe('setUp', () => {
  const session = { session_id: 's', token_hash: 'h' }
  const request = setUp(admin, { user_id: 'u', ...credentials, ...session })

  it('creates an admin and signs it in', () =>
    given({ anyUser: false }).when(request).then(created('admin'), signedIn('u', session)))
  it('is refused if an account exists', () =>
    given({ anyUser: true }).when(request).refused('conflict', 'setup is already completed'))

  it('stores name, hash and token next to the events, never in them', () => {
    const events = given({ anyUser: false }).when(request).decides()
    expect(JSON.stringify(events.map(({ stream, data }) => ({ stream, data })))).not.toMatch(/ada|hash"|\$hash/)
    expect(JSON.stringify(events.map(({ statements }) => statements))).toMatch(/ada.*\$hash.*"h"/)
    expect(events.map(({ data }) => data)).toMatchObject([
      { credential_sha256: sha256('$hash') },
      { credential_sha256: sha256('h') },
    ])
  })
})

describe('creating an account', () => {
  const request = createUser(admin, { user_id: 'u', ...credentials, role: 'member' })
  it('creates it', () => given({ named: null }).when(request).then(created('member')))
  it('requires an unused name', () =>
    given({ named: user }).when(request).refused('conflict', 'username already exists'))
})

describe('changing an account', () => {
  const change = (changes: Partial<UserChange>) =>
    changeUser(admin, { user_id: 'u', role: null, disabled: null, password_hash: null, ...changes })
  const changed = (data: object, hash: string | null = null) =>
    userChanged({ disabled: null, password_replaced: false, role: null, user_id: 'u', ...data }, hash)

  it('records what changed, or nothing if nothing changes', () => {
    given({ user, otherAdmins: 1 })
      .when(change({ role: 'member' }))
      .then(changed({ role: 'member' }))
    given({ user, otherAdmins: 1 })
      .when(change({ disabled: true }))
      .then(changed({ disabled: true }))
    given({ user, otherAdmins: 0 })
      .when(change({ password_hash: 'x' }))
      .then(changed({ password_replaced: true }, 'x'))
    for (const changes of [{}, { role: 'admin' as const }, { disabled: false }])
      given({ user, otherAdmins: 0 }).when(change(changes)).then()
  })

  it('stores the hash next to the event', () => {
    const [event] = given({ user, otherAdmins: 0 })
      .when(change({ password_hash: '$new' }))
      .decides()
    expect(event?.statements).toMatchObject([{ values: ['u', '$new'] }])
    expect(JSON.stringify(event?.data)).not.toContain('$new')
    expect(event?.data).toMatchObject({ credential_sha256: sha256('$new') })
  })

  it('keeps the last enabled admin', () => {
    for (const changes of [
      { role: 'member' as const },
      { disabled: true },
      { role: 'viewer' as const, disabled: true, password_hash: 'x' },
    ])
      given({ user, otherAdmins: 0 }).when(change(changes)).refused('conflict', 'cannot remove the last admin')
  })

  it('changes the role of a disabled admin', () =>
    given({ user: { ...user, disabled: true }, otherAdmins: 0 })
      .when(change({ role: 'member' }))
      .then(changed({ role: 'member' })))

  it('rejects an unknown account', () =>
    given({ user: null, otherAdmins: 1 }).when(change({})).refused('not_found', 'user not found'))
})

describe('deleting an account', () => {
  const request = deleteUser(admin, { user_id: 'u' })
  const grants = [
    { project: 'chat', suite: null },
    { project: 'chat', suite: 'smoke' },
  ]

  it('revokes its grants first, and deletes its webhooks', () =>
    given({ user, otherAdmins: 1, grants, webhooks: ['w'] })
      .when(request)
      .then(
        ...grants.map((scope) => accessRevoked({ cause: 'user_deleted', ...scope, user_id: 'u' })),
        webhookDeleted({ cause: 'user_deleted', user_id: 'u', webhook_id: 'w' }),
        userDeleted({ user_id: 'u' }),
      ))

  it('keeps the last admin', () =>
    given({ user, otherAdmins: 0, grants, webhooks: [] })
      .when(request)
      .refused('conflict', 'cannot delete the last admin'))
  it('deletes any other account', () =>
    given({ user: { ...user, role: 'viewer' }, otherAdmins: 0, grants: [], webhooks: [] })
      .when(request)
      .then(userDeleted({ user_id: 'u' })))
  it('deletes a disabled admin if an enabled one remains', () =>
    given({ user: { ...user, disabled: true }, otherAdmins: 1, grants: [], webhooks: [] })
      .when(request)
      .then(userDeleted({ user_id: 'u' })))
  it('rejects an unknown account', () =>
    given({ user: null, otherAdmins: 1, grants: [], webhooks: [] })
      .when(request)
      .refused('not_found', 'user not found'))
})

describe('ensuring the bootstrap admin', () => {
  const ensure = (changes: Partial<EnsuredAdmin>) =>
    ensureAdmin(SYSTEM, {
      username: 'ada',
      user_id: 'u',
      found: { id: 'u', hash: '$hash' },
      password_hash: null,
      label_salt: credentials.label_salt,
      ...changes,
    })
  const changed = (data: object, hash: string | null = null) =>
    userChanged({ disabled: null, password_replaced: false, role: null, user_id: 'u', ...data }, hash)

  it('creates the account if there is none', () =>
    given({ user: null, hash: null })
      .when(ensure({ found: null, password_hash: '$hash' }))
      .then(created('admin')))
  it('records nothing if the account is as required', () => given({ user, hash: '$hash' }).when(ensure({})).then())

  it('restores role, state and password', () => {
    given({ user: { ...user, role: 'viewer' }, hash: '$hash' })
      .when(ensure({}))
      .then(changed({ role: 'admin' }))
    given({ user: { ...user, disabled: true }, hash: '$hash' })
      .when(ensure({}))
      .then(changed({ disabled: false }))
    given({ user, hash: '$hash' })
      .when(ensure({ password_hash: '$new' }))
      .then(changed({ password_replaced: true }, '$new'))
  })

  it('is refused if the account changed after the password check', () => {
    given({ user, hash: '$other' }).when(ensure({})).refused('conflict')
    given({ user: null, hash: null }).when(ensure({})).refused('conflict')
    given({ user, hash: null })
      .when(ensure({ found: null, password_hash: '$hash' }))
      .refused('conflict')
  })
})
