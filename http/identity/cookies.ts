import { isSessionToken } from './secrets.ts'

const NAME = 'service_session'

// The second group matches the start of a second word: a value of several words is no token. The pattern ends there, so
// it never backtracks.
const SESSION = /^[ \t]*service_session=([^ \t]*)[ \t]*([^ \t]?)/

/** As long as a session lives. */
const MAX_AGE_S = 30 * 24 * 60 * 60

/**
 * Returns the session token of a Cookie header, or null. The first cookie of the name decides, whatever follows. Only a
 * session token counts: static tokens and API keys belong in the Authorization header.
 */
export const readSessionCookie = (header: string | undefined): string | null => {
  for (const pair of header?.split(';') ?? []) {
    const [, token, rest] = SESSION.exec(pair) ?? []
    if (token !== undefined) return rest === '' && isSessionToken(token) ? token : null
  }
  return null
}

type Security = { readonly secure: boolean }

// Scripts cannot read it. A browser sends it from other sites only when the user follows a link.
const cookie = (token: string, seconds: number, { secure }: Security): string =>
  `${NAME}=${token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${seconds}${secure ? '; Secure' : ''}`

/** The Set-Cookie value that stores a session in a browser. */
export const sessionCookie = (token: string, security: Security): string => cookie(token, MAX_AGE_S, security)

/** The Set-Cookie value that deletes it. */
export const clearedCookie = (security: Security): string => cookie('', 0, security)
