import { hash, randomBytes } from 'node:crypto'
import { encodeHexLowerCase } from '@oslojs/encoding'

/** The beginning of a credential; it identifies the kind to look up. */
export const SESSION_PREFIX = 'mses_'
export const KEY_PREFIX = 'service_'

/** How many characters of an API key are stored in plain text, so that its owner can recognise it. */
const SHOWN_CHARACTERS = 12

/** 256 bits cannot be guessed, so a plain digest may be stored. */
const SECRET_BYTES = 32

const newSecret = (): string => encodeHexLowerCase(randomBytes(SECRET_BYTES))

export const newSessionToken = (): string => `${SESSION_PREFIX}${newSecret()}`

/** A key for the image of a suite; it is a part of an address. */
export const newBadgeKey = (): string => `badge_${newSecret()}`

/** The secret of a link for an account; it is the fragment of an address, which browsers send to no server. */
export const newLinkSecret = (kind: 'invite' | 'reset'): string => `${kind}_${newSecret()}`

export const newApiKey = (): string => `${KEY_PREFIX}${newSecret()}`

/** Whether a text has the form of a session token. */
export const isSessionToken = (text: string): boolean => /^mses_[0-9a-f]{64}$/.test(text)

/** The stored form of a session token or API key: SHA-256 of its whole text, in lower-case hex. */
export const hashOfToken = (token: string): string => hash('sha256', token, 'hex')

/**
 * Under what an API key that ends or is limited is stored: SHA-256 of a text with the digest of the key, both in lower-case hex.
 */
export const boundedHashOf = (digest: string): string => hash('sha256', `bounded ${digest}`, 'hex')

/** The token of a new session, and what is stored of the session. `now` is in epoch milliseconds. */
export const newSession = ({ mint, now }: { readonly mint: () => string; readonly now: () => number }) => {
  const token = newSessionToken()
  return { token, session: { session_id: mint(), token_hash: hashOfToken(token), at: now() } }
}

/** The part of an API key that is stored in plain text and shown to its owner. */
export const shownPrefixOf = (key: string): string => key.slice(0, SHOWN_CHARACTERS)
