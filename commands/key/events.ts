import type { Scope } from '../../queries/access/viewer.ts'
import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import { statement } from '../../storage/sql.ts'
import { credentialDigest } from '../credential.ts'
import type { CredentialDigest } from '../credential.ts'
import { storeLabel } from '../principal.ts'

/** Stream `key/<id>`: an API key of an account. */
export type KeyMinted = NewEvent<
  'KeyMinted',
  CredentialDigest & { readonly key_id: string; readonly scope: Scope; readonly user_id: string }
>
export type KeyRevoked = NewEvent<'KeyRevoked', { readonly key_id: string; readonly user_id: string }>
export type KeyEvent = KeyMinted | KeyRevoked

export type NewSecret = { readonly name: string | null; readonly prefix: string; readonly secret_hash: string }

export const keyMinted = (data: KeyMinted['data'], { name, prefix, secret_hash }: NewSecret): KeyMinted => ({
  ...event(streamOf('key', data.key_id), 'KeyMinted', { ...data, credential_sha256: credentialDigest(secret_hash) }),
  statements: [
    storeLabel({ id: data.key_id, kind: 'key', label: name }),
    statement`INSERT INTO key_secrets (key_id, prefix, secret_hash) VALUES (${data.key_id}, ${prefix}, ${secret_hash})`,
  ],
})

/** A revoked key is still listed, so the digest of its secret and its prefix remain stored. */
export const keyRevoked = (data: KeyRevoked['data']): KeyRevoked =>
  event(streamOf('key', data.key_id), 'KeyRevoked', data)
