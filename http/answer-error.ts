import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { Refused, type Reason } from '../commands/refused.ts'
import { BadParameter } from '../queries/bad-parameter.ts'
import { TooManyReads } from '../queries/too-many-reads.ts'
import { BeingBuilt, Busy, DiskFull, ObjectsUnavailable, OverBudget, Unavailable } from '../storage/errors.ts'
import { closeIfUnread } from './connections/early-answers.ts'
import { errorText, validationText } from './error-text.ts'
import { NotYet, TooManyAttempts } from './errors.ts'

// The one place that gives errors their status codes.

const STATUS: Record<Reason, number> = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported_encoding: 415,
  unprocessable: 422,
}

/** Seconds after which a client may try again when the store is full, busy or unreachable, and when the store of large parts is. */
const RETRY_AFTER = '1'
const RETRY_PARTS_AFTER = '5'

export const STORE_UNAVAILABLE = 'the store is busy or unavailable; try again'
const PARTS_UNAVAILABLE = 'the store of large parts is unavailable; try again'

/**
 * Turns an error that a route threw into an answer. An error of no known kind is a bug: it is logged with its cause and
 * answered with 500.
 */
export const answerError = (
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => {
  if (error instanceof Refused) {
    if (error.reason === 'unauthenticated') reply.header('www-authenticate', 'Bearer realm="service"')
    return sendError(reply, STATUS[error.reason], error.message, error.extra)
  }
  if (error instanceof BadParameter) return sendError(reply, STATUS.bad_request, error.message)
  if (error instanceof TooManyAttempts) return sendError(reply.header('retry-after', error.seconds), 429, error.message)
  if (error instanceof NotYet) return sendError(reply.header('retry-after', RETRY_AFTER), 503, error.message)
  if (error instanceof TooManyReads) return sendError(reply.header('retry-after', RETRY_AFTER), 429, error.message)
  if (error instanceof Unavailable) {
    // A disconnected client gets no answer, and its disconnect is no fault of the store.
    if (!reply.raw.destroyed) logUnavailable(error, request)
    const isForCaller = error instanceof DiskFull || error instanceof OverBudget || error instanceof BeingBuilt
    const isOfParts = error instanceof ObjectsUnavailable
    const text = isForCaller ? error.message : isOfParts ? PARTS_UNAVAILABLE : STORE_UNAVAILABLE
    return sendError(reply.header('retry-after', isOfParts ? RETRY_PARTS_AFTER : RETRY_AFTER), 503, text)
  }
  if (hasZodFastifySchemaValidationErrors(error)) {
    const isBody = error.validationContext === 'body'
    return sendError(reply, isBody ? 422 : 400, validationText(error.validation, isBody ? 'field' : 'parameter'))
  }
  const status = 'statusCode' in error ? (error.statusCode ?? 500) : 500
  if (status >= 400 && status < 500) return sendError(reply, status, error.message)
  request.log.error({ err: error, request_id: request.id }, 'unexpected failure')
  return sendError(reply, 500, 'internal server error')
}

/** How often it is logged that the store of large parts is unavailable: every request for a part would say the same. */
const PARTS_LOG_MS = 60_000
const lastLogged = new WeakMap<object, number>()

/** `Busy` is caused by clients and is no failure, so its stack is of no use. */
export const logUnavailable = (error: Unavailable, { log, id: request_id, server }: FastifyRequest): void => {
  if (error instanceof ObjectsUnavailable) {
    const now = performance.now()
    if (now - (lastLogged.get(server.server) ?? -Infinity) < PARTS_LOG_MS) return
    lastLogged.set(server.server, now)
    log.error({ reason: error.message, request_id }, 'the store of large parts is unavailable')
  } else if (error instanceof Busy) log.warn({ reason: error.message, request_id }, 'busy')
  else log.error({ err: error, request_id }, 'storage unavailable')
}

type Validated = { readonly error?: ReadonlyArray<object> }

/** Validates the query, to reject it before a body is read. Fastify validates it again later. */
export const checkQuery = (request: FastifyRequest): void => {
  const check = request.getValidationFunction('querystring') as ((query: unknown) => Validated) | undefined
  const validation = check?.(request.query).error
  if (validation) throw Object.assign(new Error('invalid query'), { validation, validationContext: 'querystring' })
}

/** Sends an error. All errors have this shape, and all texts are bounded here. */
export const sendError = (
  reply: FastifyReply,
  status: number,
  error: string,
  extra: Readonly<Record<string, string>> = {},
): FastifyReply => {
  closeIfUnread(reply)
  // As bytes, since Fastify adds a charset to text, which JSON does not have.
  return reply
    .code(status)
    .type('application/json')
    .send(Buffer.from(JSON.stringify({ error: errorText(error), ...extra })))
}
