import { hash } from 'node:crypto'

/**
 * What an event tells of the credential that it sets: SHA-256, in lower-case hex, of the text that is stored of it (a
 * password's hash, a token's digest), so that the stored one can be compared with the record. Null where there is none.
 * Events from before have no such field.
 */
export type CredentialDigest = { readonly credential_sha256?: string | null }

/** The digest of what is stored of a credential; never of the secret itself. */
export const credentialDigest = (stored: string | null): string | null =>
  stored === null ? null : hash('sha256', stored, 'hex')
