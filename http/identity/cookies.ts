import { isSessionToken } from './secrets.ts'

const NAME = 'service_session'

/** The same as the lifetime of a session. */
const MAX_AGE_S = 30 * 24 * 60 * 60

/**
 * Returns a function that reads the value of a cookie from a Cookie header, or null. Only the first cookie with this
 * name counts, and `isValid` must accept it. `name` is a plain word.
 */
export const cookieReader = (
  name: string,
  isValid: (value: string) => boolean,
): ((header: string | undefined) => string | null) => {
  // The second group matches the first character of a second word, because a value of several words is not valid. The
  // pattern ends there, so it never backtracks.
  const pattern = new RegExp(`^[ \\t]*${name}=([^ \\t]*)[ \\t]*([^ \\t]?)`)
  return (header) => {
    for (const pair of header?.split(';') ?? []) {
      const [, value, rest] = pattern.exec(pair) ?? []
      if (value !== undefined) return rest === '' && isValid(value) ? value : null
    }
    return null
  }
}

/**
 * Returns the session token of a Cookie header, or null. It must be a session token: static tokens and API keys belong
 * in the Authorization header.
 */
export const readSessionCookie = cookieReader(NAME, isSessionToken)

type Security = { readonly secure: boolean }

// Scripts cannot read the cookie. If another site causes a request, the browser sends the cookie only if the user
// follows a link.
const cookie = (token: string, seconds: number, { secure }: Security): string =>
  `${NAME}=${token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${seconds}${secure ? '; Secure' : ''}`

/** The Set-Cookie value that stores a session in a browser. */
export const sessionCookie = (token: string, security: Security): string => cookie(token, MAX_AGE_S, security)

/** The Set-Cookie value that deletes the session from a browser. */
export const clearedCookie = (security: Security): string => cookie('', 0, security)
