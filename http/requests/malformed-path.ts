import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Refused } from '../../commands/refused.ts'
import { isApiRead } from '../answers/cache-rules.ts'
import { answerError } from '../answer-error.ts'
import { NO_ROUTE, type Gate } from '../identity/gate.ts'
import type { WriteAccess } from '../metrics/access-log.ts'
import type { RouteTable } from '../route-table.ts'
import { isOfApi, requestPath, routedPathOf } from './request-path.ts'

type MalformedParts = {
  readonly gate: Gate
  readonly table: RouteTable
  readonly writeAccess: WriteAccess
}

/**
 * Answers a path that Fastify cannot decode. Such a request never reaches the hooks, so this does what they do, in the
 * same order.
 */
export const answerMalformedPath = (
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  { gate, table, writeAccess }: MalformedParts,
): void => {
  const refuse = async (): Promise<unknown> => {
    await gate.waitUntilFresh(request.raw)
    const identity = await gate.identify(request.raw)
    gate.checkOrigin(request.raw, identity, NO_ROUTE)
    const scope = table.scopeOf(routedPathOf(request), request.method)
    if (scope === undefined && isOfApi(request)) return table.answerNoRoute(request, reply)
    gate.checkAccess(identity, { scope: scope ?? null })
    throw new Refused(
      'bad_request',
      error.code === 'FST_ERR_MAX_PARAM_LENGTH'
        ? 'a path part is too long'
        : 'the path is not valid percent-encoded UTF-8',
    )
  }
  void reply.headers(gate.headersOf(request.id, isApiRead(request)))
  reply.raw.once('finish', () =>
    writeAccess({
      method: request.method,
      path: requestPath(request),
      request_id: request.id,
      status: reply.statusCode,
      milliseconds: reply.elapsedTime,
    }),
  )
  void refuse().catch((refused: Error) => answerError(refused, request, reply))
}
