import type { Json, JsonObject } from '../../json.ts'
import { ProviderFailure } from '../provider.ts'
import { asArray, asNumber, asObject, asString } from '../read-json.ts'
import { statusClass, quotedBody } from './exchange.ts'

/** The HTTP status of a kind of error which an API names by a word. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  authentication_error: 401,
  permission_error: 403,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  invalid_request_error: 400,
  not_found_error: 404,
}

/** The status if nothing says what kind of error it is. Another attempt may help. */
const UNKNOWN_STATUS = 503

/**
 * The failure that the body of a 2xx response reports: gateways answer 200 with an `error`, or end a choice with the finish
 * reason `error` after a part of the answer. Null: it reports none. `retryAfterMs` is what the headers ask to wait.
 * `payload` holds no secret.
 */
export const reportedError = (payload: Json, retryAfterMs: number | null): ProviderFailure | null => {
  const answer = asObject(payload)
  if (answer === undefined) return null
  const choice = asObject(asArray(answer['choices'])[0])
  const error = errorMember(answer) ?? (choice && errorMember(choice))
  if (error !== undefined) return reportedFailure(error, retryAfterMs)
  return [choice?.['finish_reason'], answer['stop_reason']].map(asString).some(isErrorReason)
    ? reportedFailure('the answer ended with an error', retryAfterMs)
    : null
}

/**
 * As `reportedError`, for the response of an API of models. Such a response has `choices` or `content`. Without them, a
 * list of `errors`, `success: false`, `object: "error"` or a `code` from 400 to 599 reports an error too.
 */
export const reportedByModel = (payload: Json, retryAfterMs: number | null): ProviderFailure | null => {
  const reported = reportedError(payload, retryAfterMs)
  const answer = asObject(payload)
  if (reported !== null || answer === undefined || answer['choices'] || answer['content']) return reported
  const [error] = asArray(answer['errors'])
  if (error !== undefined) return reportedFailure(error, retryAfterMs)
  const isError = answer['success'] === false || answer['object'] === 'error' || isErrorStatus(numberIn(answer['code']))
  return isError ? reportedFailure(answer, retryAfterMs) : null
}

/**
 * Finish reasons of answers that ended with an error. DeepSeek interrupts an answer with `insufficient_system_resource`.
 */
const ERROR_REASONS: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource'])

/** Whether a finish reason says that an answer ended with an error. */
export const isErrorReason = (reason: string | undefined): boolean =>
  reason !== undefined && ERROR_REASONS.has(reason.trim().toLowerCase())

/** An `error` that says something: an object with members, a text, or true. Successful answers have null, false or none. */
const errorMember = ({ error }: JsonObject): Json | undefined => {
  const members = asObject(error)
  const says =
    members === undefined ? error === true || (asString(error)?.trim() ?? '') !== '' : Object.keys(members).length > 0
  return says ? error : undefined
}

const reportedFailure = (error: Json, retryAfterMs: number | null): ProviderFailure => {
  const members = asObject(error)
  const message = asString(members?.['message']) ?? asString(error) ?? JSON.stringify(error)
  const { errorClass, retriable } = statusClass(reportedStatus(members))
  return new ProviderFailure(`the response reports an error: ${quotedBody(message)}`, {
    errorClass,
    retriable,
    retryAfterMs: retriable ? retryAfterMs : null,
    ...(members !== undefined && { details: members }),
  })
}

const reportedStatus = (error: JsonObject | undefined): number => {
  for (const name of ['code', 'status', 'status_code']) {
    const code = numberIn(error?.[name])
    if (isErrorStatus(code)) return code
  }
  for (const name of ['type', 'code']) {
    const word = asString(error?.[name])
    if (word !== undefined && Object.hasOwn(STATUS_OF_TYPE, word)) return STATUS_OF_TYPE[word]!
  }
  return UNKNOWN_STATUS
}

const numberIn = (value: Json | undefined): number => asNumber(value) ?? Number(asString(value) ?? Number.NaN)

const isErrorStatus = (code: number): boolean => Number.isInteger(code) && code >= 400 && code < 600
