import { hash, randomBytes } from 'node:crypto'
import { encodeHexLowerCase } from '@oslojs/encoding'

/** What the text of a credential begins with; it tells which kind to look up. */
export const SESSION_PREFIX = 'mses_'
export const KEY_PREFIX = 'service_'

/** How much of an API key is kept readable, so that its owner can tell it from others. */
const SHOWN = 12

/** 256 bits: nothing to guess, so a plain digest of it may be stored. */
const SECRET_BYTES = 32

const newSecret = (): string => encodeHexLowerCase(randomBytes(SECRET_BYTES))

export const newSessionToken = (): string => `${SESSION_PREFIX}${newSecret()}`

export const newApiKey = (): string => `${KEY_PREFIX}${newSecret()}`

/** Whether a text has the form of a session token. */
export const isSessionToken = (text: string): boolean => /^mses_[0-9a-f]{64}$/.test(text)

/** What is stored of a session token or API key: SHA-256 of its whole text, in lower-case hex. */
export const hashOfToken = (token: string): string => hash('sha256', token, 'hex')

/** The part of an API key that is stored readable and shown. */
export const prefixOf = (key: string): string => key.slice(0, SHOWN)
