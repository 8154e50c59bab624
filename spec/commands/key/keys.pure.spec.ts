import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { keyMinted, keyRevoked } from '../../../commands/key/events.ts'
import { mintKey } from '../../../commands/key/mint-key.ts'
import { revokeKey } from '../../../commands/key/revoke-key.ts'
import type { Scope } from '../../../queries/access/viewer.ts'
import { viewerOf } from '../../support/access/accounts.ts'
import { given } from '../../support/decisions.ts'
import { admin } from '../../support/access/viewers.ts'

const ada = viewerOf({ kind: 'session', credential_id: 's', user_id: 'u' }, 'read')
const accessWith = (scope: Scope, sees_all = false) => ({ scope, sees_all })
const factsWith = (scope: Scope, live = 0) => ({ currentAccess: accessWith(scope), live })
const secret = { name: 'ci', prefix: 'service_0123', secret_hash: '$digest', label_salt: '0'.repeat(32) }

describe('creating a key', () => {
  const mint = (scope: Scope | null, viewer = ada) => mintKey(viewer, { key_id: 'k', scope, ...secret })
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
    given({ currentAccess: accessWith('admin', true), live: 0 })
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
