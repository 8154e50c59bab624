import { hash, randomBytes } from 'node:crypto'

/**
 * The field of events that may set a credential: the SHA-256, in lower-case hex, of the text that is stored for it (a
 * password's hash, a token's digest). So the stored text can be compared with the event. Null if the event sets no
 * credential. Older events do not have this field.
 */
export type CredentialDigest = { readonly credential_sha256?: string | null }

/** Returns the digest of the stored text of a credential, never of the secret itself. */
export const credentialDigest = (stored: string | null): string | null =>
  stored === null ? null : hash('sha256', stored, 'hex')

/** A salt of 16 random bytes, in hex, for a text that is stored next to the log. */
export const newSalt = (): string => randomBytes(16).toString('hex')

/**
 * The digest that an event has in place of texts of people: SHA-256, in lower-case hex, of the salt and the texts, with one
 * space between them. The salt is stored with the texts and deleted with them.
 */
export const saltedDigest = (salt: string, ...texts: readonly string[]): string =>
  hash('sha256', [salt, ...texts].join(' '), 'hex')
