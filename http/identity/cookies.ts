import { isSessionToken } from './secrets.ts'

const NAME = 'service_session'

// The second group is the start of what follows the first word: a value of several words is no token. Nothing comes
// after it, so nothing is tried twice.
const SESSION = /^[ \t]*service_session=([^ \t]*)[ \t]*([^ \t]?)/

/** As long as a session lives. */
const MAX_AGE_S = 30 * 24 * 60 * 60

/**
 * The session token of a Cookie header; null where there is none. The first cookie of the name decides, whatever comes
 * after it, and only a session token counts: static tokens and API keys belong into the Authorization header.
 */
export const readSessionCookie = (header: string | undefined): string | null => {
  for (const pair of header?.split(';') ?? []) {
    const [, token, more] = SESSION.exec(pair) ?? []
    if (token !== undefined) return more === '' && isSessionToken(token) ? token : null
  }
  return null
}

type Security = { readonly secure: boolean }

// Scripts cannot read it, and other sites cannot make a browser send it with anything but a followed link.
const cookie = (token: string, seconds: number, { secure }: Security): string =>
  `${NAME}=${token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${seconds}${secure ? '; Secure' : ''}`

/** The Set-Cookie value that keeps a session in a browser. */
export const sessionCookie = (token: string, security: Security): string => cookie(token, MAX_AGE_S, security)

/** The Set-Cookie value that ends it. */
export const clearedCookie = (security: Security): string => cookie('', 0, security)
