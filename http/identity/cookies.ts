import { isSessionToken } from './secrets.ts'

const NAME = 'service_session'

// The second group matches the first character of a second word, because a value of several words is not a token. The
// pattern ends there, so it never backtracks.
const SESSION = /^[ \t]*service_session=([^ \t]*)[ \t]*([^ \t]?)/

/** The same as the lifetime of a session. */
const MAX_AGE_S = 30 * 24 * 60 * 60

/**
 * Returns the session token of a Cookie header, or null. Only the first cookie with this name counts. It must be a
 * session token: static tokens and API keys belong in the Authorization header.
 */
export const readSessionCookie = (header: string | undefined): string | null => {
  for (const pair of header?.split(';') ?? []) {
    const [, token, rest] = SESSION.exec(pair) ?? []
    if (token !== undefined) return rest === '' && isSessionToken(token) ? token : null
  }
  return null
}

type Security = { readonly secure: boolean }

// Scripts cannot read the cookie. If another site causes a request, the browser sends the cookie only if the user
// follows a link.
const cookie = (token: string, seconds: number, { secure }: Security): string =>
  `${NAME}=${token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${seconds}${secure ? '; Secure' : ''}`

/** The Set-Cookie value that stores a session in a browser. */
export const sessionCookie = (token: string, security: Security): string => cookie(token, MAX_AGE_S, security)

/** The Set-Cookie value that deletes the session from a browser. */
export const clearedCookie = (security: Security): string => cookie('', 0, security)
