import { SsoRefused } from '../provider.ts'

/** The error codes of a token endpoint (RFC 6749, 5.2). Other texts of a provider are not repeated in the log. */
const TOKEN_ERRORS: ReadonlySet<unknown> = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
])

/** The value of a property of an object; undefined for anything else. */
const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined

/** The code of an error of the library, such as `OAUTH_KEY_SELECTION_FAILED`. */
const codeOf = (error: unknown): string => {
  const code = propertyOf(error, 'code')
  return typeof code === 'string' && /^(?:OAUTH|ERR)_[A-Z_]+$/.test(code) ? code : 'unexpected content'
}

/** What the error is about, as the library names it: a claim, a property, or the signature. */
const subjectOf = (error: unknown): string => {
  const cause = propertyOf(error, 'cause')
  const details = propertyOf(cause, 'cause') ?? cause
  if (propertyOf(details, 'signature') !== undefined) return ' (signature)'
  const name = propertyOf(details, 'claim') ?? propertyOf(details, 'attribute')
  return typeof name === 'string' && /^[a-z_]{1,40}$/.test(name) ? ` (${name})` : ''
}

/**
 * The refusal for an error that openid-client threw. Its message has codes alone. The causes of such errors are left out
 * on purpose: they hold bodies of responses, with tokens and claims.
 */
export const refusalOf = (step: string, error: unknown): SsoRefused => {
  if (error instanceof SsoRefused) return error
  // What our own `fetch` throws comes back as the cause of an error of the library.
  const cause = propertyOf(error, 'cause')
  if (cause instanceof SsoRefused) return cause
  const tokenError = propertyOf(error, 'error')
  const reason = TOKEN_ERRORS.has(tokenError) ? String(tokenError) : `${codeOf(error)}${subjectOf(error)}`
  return new SsoRefused('provider_error', `${step}: ${reason}`)
}

/** Whether a claim has another value than expected. Other keys of the provider would not change that. */
export const isOtherClaim = (error: unknown): boolean => codeOf(error) === 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'
