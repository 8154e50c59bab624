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

const CODE_STEP = 'the code cannot be redeemed'
const WRONG_CLIENT = 'the provider rejected the client id or the client secret'

/** The metadata names another issuer than the configuration, perhaps of another tenant. */
export const OTHER_ISSUER = 'the issuer in the metadata is not exactly the configured one; a slash at the end counts'

/** Reasons in words that say what to correct. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['invalid_client', WRONG_CLIENT],
  ['OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED (issuer)', OTHER_ISSUER],
])

/** The value of a property of an object; undefined for anything else. */
const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined

/** The code of an error of the library, such as `OAUTH_KEY_SELECTION_FAILED`. */
const providerCode = (error: unknown): string => {
  const code = propertyOf(error, 'code')
  return typeof code === 'string' && /^(?:OAUTH|ERR)_[A-Z_]+$/.test(code) ? code : 'unexpected content'
}

/** What the error is about: the status of a response, or what the library names: a claim, a property, or the signature. */
const refusedSubject = (error: unknown): string => {
  const cause = propertyOf(error, 'cause')
  const details = propertyOf(cause, 'cause') ?? cause
  if (details instanceof Response && details.status !== 200) return ` (HTTP status ${details.status})`
  if (propertyOf(details, 'signature') !== undefined) return ' (signature)'
  const name = propertyOf(details, 'claim') ?? propertyOf(details, 'attribute')
  return typeof name === 'string' && /^[a-z_]{1,40}$/.test(name) ? ` (${name})` : ''
}

/**
 * The refusal for an error that openid-client threw. Its message has codes and our own words alone. The causes of such errors are left out
 * on purpose: they hold bodies of responses, with tokens and claims.
 */
export const refusalOf = (step: string, error: unknown): SsoRefused => {
  if (error instanceof SsoRefused) return error
  // What our own `fetch` throws comes back as the cause of an error of the library.
  const cause = propertyOf(error, 'cause')
  if (cause instanceof SsoRefused) return cause
  const tokenError = propertyOf(error, 'error')
  const reason = TOKEN_ERRORS.has(tokenError) ? String(tokenError) : `${providerCode(error)}${refusedSubject(error)}`
  return new SsoRefused('provider_error', `${step}: ${ADVICE.get(reason) ?? reason}`)
}

/** The refusal for an error of the token endpoint. Its only challenge is for the credentials of this client. */
export const redemptionRefusalOf = (error: unknown): SsoRefused =>
  providerCode(error) === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE'
    ? new SsoRefused('provider_error', `${CODE_STEP}: ${WRONG_CLIENT}`)
    : refusalOf(CODE_STEP, error)

/** Whether a claim has another value than expected. Other keys of the provider would not change that. */
export const isOtherClaim = (error: unknown): boolean => providerCode(error) === 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'
