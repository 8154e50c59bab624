import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { keyMinted, keyRevoked } from '../../../commands/key/events.ts'
import { mintKey, type NewKey } from '../../../commands/key/mint-key.ts'
import { mintServiceKey } from '../../../commands/key/mint-service-key.ts'
import { revokeKey } from '../../../commands/key/revoke-key.ts'
import type { Scope } from '../../../queries/access/viewer.ts'
import { viewerOf } from '../../support/access/accounts.ts'
import { given } from '../../support/decisions.ts'
import { admin } from '../../support/access/viewers.ts'

const ada = viewerOf({ kind: 'session', credential_id: 's', user_id: 'u' }, 'read')
const accessWith = (scope: Scope, sees_all = false) => ({ scope, sees_all })
const factsWith = (scope: Scope, live = 0, ownExpiry: number | null = null) => ({
  currentAccess: accessWith(scope),
  live,
  ownExpiry,
})
const secret = { name: 'ci', prefix: 'service_0123', secret_hash: '$digest', label_salt: '0'.repeat(32) }

describe('creating a key', () => {
  const mint = (scope: Scope | null, viewer = ada) => mintKey(viewer, { at: 0, key_id: 'k', scope, ...secret })
  const minted = (scope: Scope) => keyMinted({ key_id: 'k', scope, user_id: 'u' }, secret)

  it('grants the requested scope, or the current scope of the caller', () => {
    given(factsWith('write')).when(mint(null)).then(minted('write'))
    given(factsWith('admin')).when(mint('read')).then(minted('read'))
    given(factsWith('read')).when(mint(null)).then(minted('read'))
  })

  it('grants nothing above the current scope of the caller', () => {
    given(factsWith('read')).when(mint('write')).refused('forbidden', "exceeds the caller's own")
    given(factsWith('write')).when(mint('admin')).refused('forbidden', 'exceeds')
  })

  it('requires an account', () =>
    given({ currentAccess: accessWith('admin', true), live: 0, ownExpiry: null })
      .when(mint(null, admin))
      .refused('forbidden', 'a user account is required'))

  it('allows a hundred live keys and names the limit if exceeded', () => {
    given(factsWith('read', 99)).when(mint(null)).then(minted('read'))
    for (const live of [100, 3000])
      given(factsWith('read', live)).when(mint(null)).refused('conflict', 'at most 100 live API keys')
  })

  it('stores name and digest next to the event', () => {
    const [event] = given(factsWith('read')).when(mint(null)).decides()
    expect(JSON.stringify(event?.data)).not.toMatch(/ci|digest/)
    expect(JSON.stringify(event?.statements)).toMatch(/ci.*digest/)
    expect(event?.data).toMatchObject({ credential_sha256: createHash('sha256').update('$digest').digest('hex') })
  })
})

describe('creating a key with bounds', () => {
  const limit = { project: 'chat', suite: null }
  const mint = (more: Partial<NewKey>, viewer = ada) =>
    mintKey(viewer, { at: 1_000, key_id: 'k', scope: null, ...secret, ...more })
  const minted = (more: object, scope: Scope = 'write') =>
    keyMinted({ key_id: 'k', scope, user_id: 'u', ...more }, secret)

  it('records an end in the future and a limit', () => {
    given(factsWith('write'))
      .when(mint({ expires_at: 1_001, limit }))
      .then(minted({ expires_at: 1_001, limit }))
    given(factsWith('write'))
      .when(mint({ expires_at: 1_000 }))
      .refused('unprocessable', 'in the future')
    given(factsWith('write'))
      .when(mint({ limit: { project: 'chat', suite: '..' } }))
      .refused('unprocessable', '..')
  })

  it('gives a limited key at most the scope write', () => {
    given(factsWith('admin')).when(mint({ limit })).then(minted({ limit }))
    given(factsWith('admin'))
      .when(mint({ limit, scope: 'read' }))
      .then(minted({ limit }, 'read'))
    given(factsWith('admin'))
      .when(mint({ limit, scope: 'admin' }))
      .refused('unprocessable', 'at most the scope write')
  })

  it('makes no key that outlives the key that makes it, and none by a limited key', () => {
    given(factsWith('read', 0, 5_000))
      .when(mint({}))
      .refused('forbidden', 'must end by then')
    given(factsWith('read', 0, 5_000))
      .when(mint({ expires_at: 5_001 }))
      .refused('forbidden', 'must end by then')
    given(factsWith('read', 0, 5_000))
      .when(mint({ expires_at: 5_000 }))
      .then(minted({ expires_at: 5_000 }, 'read'))
    given(factsWith('read'))
      .when(mint({ limit }, { ...ada, limit: { ...limit, all: false } }))
      .refused('forbidden', 'limited to a project or suite')
  })
})

describe('creating a key of a service account', () => {
  const user = {
    id: 'u',
    username: 'ci',
    role: 'member',
    disabled: false,
    has_password: false,
    service: true,
    created_at: 0,
  } as const
  const mint = (more: Partial<NewKey> = {}) =>
    mintServiceKey(admin, { user_id: 'u', at: 1_000, key_id: 'k', scope: null, ...secret, ...more })
  const facts = { user, live: 0, currentAccess: accessWith('admin', true) }

  it('grants at most the scope of its role', () => {
    given(facts)
      .when(mint())
      .then(keyMinted({ key_id: 'k', scope: 'write', user_id: 'u' }, secret))
    given(facts)
      .when(mint({ scope: 'admin' }))
      .refused('forbidden', 'exceeds')
    given({ ...facts, live: 100 })
      .when(mint())
      .refused('conflict', 'at most 100')
    given(facts)
      .when(mint({ expires_at: 1_000 }))
      .refused('unprocessable', 'in the future')
  })

  it('is refused for a person and for an unknown account', () => {
    given({ ...facts, user: { ...user, service: false } })
      .when(mint())
      .refused('conflict', 'no service account')
    given({ ...facts, user: null })
      .when(mint())
      .refused('not_found', 'user not found')
  })
})

describe('revoking a key', () => {
  const revoke = revokeKey(ada, { key_id: 'k' })
  const key = { id: 'k', user_id: 'u', revoked: false }
  const revoked = keyRevoked({ key_id: 'k', user_id: 'u' })

  it('is allowed to its owner', () =>
    given({ key, currentAccess: accessWith('read') })
      .when(revoke)
      .then(revoked))
  it('records nothing if it is revoked already', () =>
    given({ key: { ...key, revoked: true }, currentAccess: accessWith('read') })
      .when(revoke)
      .then())
  it('is refused to another account', () =>
    given({ key: { ...key, user_id: 'v' }, currentAccess: accessWith('write') })
      .when(revoke)
      .refused('forbidden', 'not your api key'))
  it('is allowed to an admin by role', () =>
    given({ key: { ...key, user_id: 'v' }, currentAccess: accessWith('read', true) })
      .when(revoke)
      .then(keyRevoked({ key_id: 'k', user_id: 'v' })))
  it('rejects an unknown key', () =>
    given({ key: null, currentAccess: accessWith('read') })
      .when(revoke)
      .refused('not_found', 'api key not found'))
  it('requires an account', () =>
    given({ key, currentAccess: accessWith('admin', true) })
      .when(revokeKey(admin, { key_id: 'k' }))
      .refused('forbidden', 'a user account is required'))
})
