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
const standing = (scope: Scope, sees_all = false) => ({ scope, sees_all })
const mints = (scope: Scope, live = 0) => ({ standing: standing(scope), live })
const secret = { name: 'ci', prefix: 'service_0123', secret_hash: '$digest' }

describe('minting a key', () => {
  const mint = (scope: Scope | null, viewer = ada) => mintKey(viewer, { key_id: 'k', scope, ...secret })
  const minted = (scope: Scope) => keyMinted({ key_id: 'k', scope, user_id: 'u' }, secret)

  it('gives what was asked for, or what the caller has by now', () => {
    given(mints('write')).when(mint(null)).then(minted('write'))
    given(mints('admin')).when(mint('read')).then(minted('read'))
    given(mints('read')).when(mint(null)).then(minted('read'))
  })

  it('gives nothing above what the caller has by now', () => {
    given(mints('read')).when(mint('write')).refused('forbidden', "exceeds the caller's own")
    given(mints('write')).when(mint('admin')).refused('forbidden', 'exceeds')
  })

  it('needs an account', () =>
    given({ standing: standing('admin', true), live: 0 })
      .when(mint(null, admin))
      .refused('forbidden', 'a user account is required'))

  it('goes on up to a hundred live keys, and names that limit beyond it', () => {
    given(mints('read', 99)).when(mint(null)).then(minted('read'))
    for (const live of [100, 3000])
      given(mints('read', live)).when(mint(null)).refused('conflict', 'at most 100 live API keys')
  })

  it('keeps name and digest beside the event', () => {
    const [event] = given(mints('read')).when(mint(null)).decides()
    expect(JSON.stringify(event?.data)).not.toMatch(/ci|digest/)
    expect(JSON.stringify(event?.alongside)).toMatch(/ci.*digest/)
    expect(event?.data).toMatchObject({ credential_sha256: createHash('sha256').update('$digest').digest('hex') })
  })
})

describe('revoking a key', () => {
  const revoke = revokeKey(ada, { key_id: 'k' })
  const key = { id: 'k', user_id: 'u', revoked: false }
  const revoked = keyRevoked({ key_id: 'k', user_id: 'u' })

  it("is its owner's to do", () =>
    given({ key, standing: standing('read') })
      .when(revoke)
      .then(revoked))
  it('is silent when it is revoked', () =>
    given({ key: { ...key, revoked: true }, standing: standing('read') })
      .when(revoke)
      .then())
  it("is nobody else's", () =>
    given({ key: { ...key, user_id: 'v' }, standing: standing('write') })
      .when(revoke)
      .refused('forbidden', 'not your api key'))
  it("is an admin's, by role", () =>
    given({ key: { ...key, user_id: 'v' }, standing: standing('read', true) })
      .when(revoke)
      .then(keyRevoked({ key_id: 'k', user_id: 'v' })))
  it('finds no unknown one', () =>
    given({ key: null, standing: standing('read') })
      .when(revoke)
      .refused('not_found', 'api key not found'))
  it('needs an account', () =>
    given({ key, standing: standing('admin', true) })
      .when(revokeKey(admin, { key_id: 'k' }))
      .refused('forbidden', 'a user account is required'))
})
