import type { SetScope } from '../../domain/sets.ts'
import type { Scope } from '../../queries/access/viewer.ts'
import type { NewEvent } from '../../storage/command.ts'
import { event, streamOf } from '../../storage/log/event.ts'
import { sql, statement } from '../../storage/sql.ts'
import { credentialDigest, saltedDigest, type CredentialDigest } from '../credential.ts'
import type { EventTypes } from '../event-type.ts'
import { labelDigest, storeLabel, type LabelDigest } from '../principal.ts'
import { keyTag } from '../tags.ts'

/**
 * Stream `key/<id>`: an API key of an account. `prefix_sha256` is the digest of the stored digest of its secret and of the
 * prefix that lists show. Older events do not have it.
 */
export type KeyMinted = NewEvent<
  'KeyMinted',
  CredentialDigest &
    LabelDigest & {
      /** When the key ends, in epoch milliseconds. A key without this field does not end. */
      readonly expires_at?: number
      readonly key_id: string
      /** The limit of the key: this project, or one suite of it. */
      readonly limit?: SetScope
      readonly prefix_sha256?: string
      readonly scope: Scope
      readonly user_id: string
    }
>
export type KeyRevoked = NewEvent<'KeyRevoked', { readonly key_id: string; readonly user_id: string }>
export type KeyEvent = KeyMinted | KeyRevoked

const shared = { change: 'nothing', erasure: 'account', projections: ['accounts'] } as const
export const KEY_EVENTS = {
  KeyMinted: { ...shared, tags: () => [], digests: true },
  KeyRevoked: { ...shared, tags: ({ data }) => [keyTag(data.key_id)], digests: false },
} as const satisfies EventTypes<KeyEvent>

export type NewSecret = { readonly name: string | null; readonly prefix: string; readonly secret_hash: string }

export const keyMinted = (
  data: KeyMinted['data'],
  { name, prefix, secret_hash, label_salt }: NewSecret & { readonly label_salt: string },
): KeyMinted => {
  const principal = { id: data.key_id, kind: 'key', label: name } as const
  return {
    ...event(streamOf('key', data.key_id), 'KeyMinted', {
      ...data,
      credential_sha256: credentialDigest(secret_hash),
      label_sha256: labelDigest(principal, label_salt),
      prefix_sha256: saltedDigest(secret_hash, prefix),
    }),
    statements: [
      storeLabel(principal, label_salt),
      statement`INSERT INTO key_secrets (key_id, prefix, secret_hash) VALUES (${data.key_id}, ${prefix}, ${secret_hash})`,
    ],
  }
}

/** The text of a row of `key_secrets` whose digest is in the event as `prefix_sha256`. */
export const prefixText = sql.fragment`secret_hash || ' ' || prefix`

/** A revoked key is still listed, so the digest of its secret and its prefix remain stored. */
export const keyRevoked = (data: KeyRevoked['data']): KeyRevoked =>
  event(streamOf('key', data.key_id), 'KeyRevoked', data)
