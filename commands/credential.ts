import { hash } from 'node:crypto'

/**
 * The field of events that may set a credential: the SHA-256, in lower-case hex, of the text that is stored for it (a
 * password's hash, a token's digest). So the stored text can be compared with the event. Null if the event sets no
 * credential. Older events do not have this field.
 */
export type CredentialDigest = { readonly credential_sha256?: string | null }

/** Returns the digest of the stored text of a credential, never of the secret itself. */
export const credentialDigest = (stored: string | null): string | null =>
  stored === null ? null : hash('sha256', stored, 'hex')
