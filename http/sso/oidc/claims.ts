import { isObject } from '../../../domain/plain/is-object.ts'
import { SsoRefused } from '../provider.ts'

/** The claims of an ID token or of a userinfo response, whose signature or origin was checked. */
export type Claims = Readonly<Record<string, unknown>>

/** Maximum length of a subject (OpenID Connect Core, 2). */
const MAX_SUBJECT_LENGTH = 255
/** Maximum length of an e-mail address that is used (RFC 5321, 4.5.3.1: 64 characters, `@` and 255). */
const MAX_EMAIL_LENGTH = 320

/** Whether a text can be stored: PostgreSQL accepts no NUL, and UTF-8 no lone surrogate. */
const isPlain = (text: string): boolean => !/[\p{Cc}\p{Cs}]/u.test(text)

/**
 * The value of a claim; undefined if there is none. A name with dots is first the name of a claim, as in
 * `https://example.com/groups`, and then a path into objects, as in `realm_access.roles`.
 */
export const claimAt = (claims: Claims, name: string): unknown => {
  if (Object.hasOwn(claims, name)) return claims[name]
  for (const { index } of name.matchAll(/\./g)) {
    const outer = name.slice(0, index)
    const inner = Object.hasOwn(claims, outer) ? claims[outer] : undefined
    const value = isObject(inner) ? claimAt(inner, name.slice(index + 1)) : undefined
    if (value !== undefined) return value
  }
  return undefined
}

/** The groups in a claim: an array of texts, whose other members are ignored, or one text. */
export const groupsIn = (claim: unknown): readonly string[] => {
  if (typeof claim === 'string') return [claim]
  return Array.isArray(claim) ? claim.filter((group) => typeof group === 'string') : []
}

/** The e-mail address if the provider verified it, else null. Only `true` means verified, not the text "true". */
export const trustedEmail = ({ email, email_verified: isVerified }: Claims): string | null =>
  isVerified === true && typeof email === 'string' && email !== '' && email.length <= MAX_EMAIL_LENGTH && isPlain(email)
    ? email
    : null

/** The subject: 1 to 255 characters, none of them a control character. Throws `SsoRefused` for anything else. */
export const subjectIn = ({ sub }: Claims): string => {
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH || !isPlain(sub))
    throw new SsoRefused('provider_error', 'the ID token has no valid subject')
  return sub
}

/**
 * Throws `SsoRefused` if the ID token is not valid at `now`, in epoch seconds: it expired, is not valid yet, or was
 * issued in the future. Each has a tolerance of `skewSecs`.
 */
export const checkTimes = ({ exp, nbf, iat }: Claims, now: number, skewSecs: number): void => {
  if (typeof exp !== 'number' || now >= exp + skewSecs) throw new SsoRefused('expired', 'the ID token expired')
  if (typeof iat !== 'number' || iat > now + skewSecs)
    throw new SsoRefused('expired', 'the ID token was issued in the future')
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf > now + skewSecs))
    throw new SsoRefused('expired', 'the ID token is not valid yet')
}

/** Throws `SsoRefused` if the ID token was issued to another client (OpenID Connect Core, 3.1.3.7, item 5). */
export const checkAuthorizedParty = ({ azp }: Claims, clientId: string): void => {
  if (azp !== undefined && azp !== clientId)
    throw new SsoRefused('provider_error', 'the ID token was issued to another client')
}

/** Whether the provider left out the groups because there are too many of them, as Entra does (`_claim_names`). */
export const hasTooManyGroups = ({ _claim_names: names }: Claims, groupsClaim: string): boolean =>
  isObject(names) && Object.hasOwn(names, groupsClaim)
