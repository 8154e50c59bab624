import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { accessRevoked } from '../../../commands/access/events.ts'
import { changeUser } from '../../../commands/account/change-user.ts'
import type { UserChange } from '../../../commands/account/change-user.ts'
import { createUser } from '../../../commands/account/create-user.ts'
import { deleteUser } from '../../../commands/account/delete-user.ts'
import { ensureAdmin } from '../../../commands/account/ensure-admin.ts'
import type { EnsuredAdmin } from '../../../commands/account/ensure-admin.ts'
import { userChanged, userCreated, userDeleted } from '../../../commands/account/events.ts'
import { setUp } from '../../../commands/account/set-up.ts'
import { signedIn } from '../../../commands/session/events.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { given } from '../../support/decisions.ts'
import { admin } from '../../support/access/viewers.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const made = { username: 'ada', password_hash: '$hash' }
const user = { id: 'u', username: 'ada', role: 'admin', disabled: false, has_password: true, created_at: 0 } as const
const created = (role: 'admin' | 'member') => userCreated({ has_password: true, role, user_id: 'u' }, made)

describe('setting up', () => {
  const session = { session_id: 's', token_hash: 'h' }
  const asked = setUp(admin, { user_id: 'u', ...made, ...session })

  it('makes an admin and signs them in', () =>
    given({ anyUser: false }).when(asked).then(created('admin'), signedIn('u', session)))
  it('is refused once there is anyone', () =>
    given({ anyUser: true }).when(asked).refused('conflict', 'setup is already completed'))

  it('keeps name, hash and token beside the events, and none of them in one', () => {
    const events = given({ anyUser: false }).when(asked).decides()
    expect(JSON.stringify(events.map(({ stream, data }) => ({ stream, data })))).not.toMatch(/ada|hash"|\$hash/)
    expect(JSON.stringify(events.map(({ alongside }) => alongside))).toMatch(/ada.*\$hash.*"h"/)
    expect(events.map(({ data }) => data)).toMatchObject([
      { credential_sha256: sha256('$hash') },
      { credential_sha256: sha256('h') },
    ])
  })
})

describe('making an account', () => {
  const asked = createUser(admin, { user_id: 'u', ...made, role: 'member' })
  it('makes it', () => given({ named: null }).when(asked).then(created('member')))
  it('needs a name that nobody has', () =>
    given({ named: user }).when(asked).refused('conflict', 'username already exists'))
})

describe('changing an account', () => {
  const change = (wanted: Partial<UserChange>) =>
    changeUser(admin, { user_id: 'u', role: null, disabled: null, password_hash: null, ...wanted })
  const changed = (data: object, hash: string | null = null) =>
    userChanged({ disabled: null, password_replaced: false, role: null, user_id: 'u', ...data }, hash)

  it('tells what changed, and is silent where nothing does', () => {
    given({ user, otherAdmins: 1 })
      .when(change({ role: 'member' }))
      .then(changed({ role: 'member' }))
    given({ user, otherAdmins: 1 })
      .when(change({ disabled: true }))
      .then(changed({ disabled: true }))
    given({ user, otherAdmins: 0 })
      .when(change({ password_hash: 'x' }))
      .then(changed({ password_replaced: true }, 'x'))
    for (const wanted of [{}, { role: 'admin' as const }, { disabled: false }])
      given({ user, otherAdmins: 0 }).when(change(wanted)).then()
  })

  it('writes the hash beside the event', () => {
    const [event] = given({ user, otherAdmins: 0 })
      .when(change({ password_hash: '$new' }))
      .decides()
    expect(event?.alongside).toMatchObject([{ values: ['u', '$new'] }])
    expect(JSON.stringify(event?.data)).not.toContain('$new')
    expect(event?.data).toMatchObject({ credential_sha256: sha256('$new') })
  })

  it('leaves the last enabled admin', () => {
    for (const wanted of [
      { role: 'member' as const },
      { disabled: true },
      { role: 'viewer' as const, disabled: true, password_hash: 'x' },
    ])
      given({ user, otherAdmins: 0 }).when(change(wanted)).refused('conflict', 'cannot remove the last admin')
  })

  it('takes the role of an admin who is disabled', () =>
    given({ user: { ...user, disabled: true }, otherAdmins: 0 })
      .when(change({ role: 'member' }))
      .then(changed({ role: 'member' })))

  it('finds nobody who is not there', () =>
    given({ user: null, otherAdmins: 1 }).when(change({})).refused('not_found', 'user not found'))
})

describe('deleting an account', () => {
  const asked = deleteUser(admin, { user_id: 'u' })
  const grants = [
    { project: 'chat', suite: null },
    { project: 'chat', suite: 'smoke' },
  ]

  it('takes each of its grants back first', () =>
    given({ user, otherAdmins: 1, grants })
      .when(asked)
      .then(
        ...grants.map((scope) => accessRevoked({ cause: 'user_deleted', ...scope, user_id: 'u' })),
        userDeleted({ user_id: 'u' }),
      ))

  it('leaves the last admin', () =>
    given({ user, otherAdmins: 0, grants }).when(asked).refused('conflict', 'cannot delete the last admin'))
  it('takes anybody else', () =>
    given({ user: { ...user, role: 'viewer' }, otherAdmins: 0, grants: [] })
      .when(asked)
      .then(userDeleted({ user_id: 'u' })))
  it('takes a disabled admin while an enabled one stays', () =>
    given({ user: { ...user, disabled: true }, otherAdmins: 1, grants: [] })
      .when(asked)
      .then(userDeleted({ user_id: 'u' })))
  it('finds nobody who is not there', () =>
    given({ user: null, otherAdmins: 1, grants: [] }).when(asked).refused('not_found', 'user not found'))
})

describe('ensuring the bootstrap admin', () => {
  const ensure = (wanted: Partial<EnsuredAdmin>) =>
    ensureAdmin(SYSTEM, {
      username: 'ada',
      user_id: 'u',
      found: { id: 'u', hash: '$hash' },
      password_hash: null,
      ...wanted,
    })
  const changed = (data: object, hash: string | null = null) =>
    userChanged({ disabled: null, password_replaced: false, role: null, user_id: 'u', ...data }, hash)

  it('makes the account where there is none', () =>
    given({ user: null, hash: null })
      .when(ensure({ found: null, password_hash: '$hash' }))
      .then(created('admin')))
  it('is silent where all is as it should be', () => given({ user, hash: '$hash' }).when(ensure({})).then())

  it('restores what is not', () => {
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

  it('is refused when the account changed since its password was checked', () => {
    given({ user, hash: '$other' }).when(ensure({})).refused('conflict')
    given({ user: null, hash: null }).when(ensure({})).refused('conflict')
    given({ user, hash: null })
      .when(ensure({ found: null, password_hash: '$hash' }))
      .refused('conflict')
  })
})
