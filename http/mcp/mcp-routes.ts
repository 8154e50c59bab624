import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isDeeperThan } from '../../domain/cache/json-bounds.ts'
import { errorResult } from '../../queries/agents/answer.ts'
import { TooManyReads } from '../../queries/too-many-reads.ts'
import { Unavailable } from '../../storage/errors.ts'
import { abortWhenClientLeaves } from '../answers/client-left.ts'
import { ErrorBody, logUnavailable, Starting, STORE_UNAVAILABLE } from '../errors.ts'
import type { Gate } from '../identity/gate.ts'
import { CREDENTIAL_REQUIRED, insufficientScope, requiredScope } from '../identity/identity.ts'
import type { Identity } from '../identity/identity.ts'
import { encodingOf, inflated, receive } from '../requests/body.ts'
import { readCacheStats, readMeta } from '../server-facts.ts'
import type { McpConfig, Services } from '../services.ts'
import { checkModern, eraOf } from './checks.ts'
import { CODES, Envelope, readMessage, resultAnswer } from './messages.ts'
import type { Answer, Id, Params } from './messages.ts'
import { openMethods } from './methods.ts'
import { allowedOrigins } from './origins.ts'
import { Rejected, rejectedAnswer } from './refusals.ts'

/** Maximum size of a body after decompression, in bytes, and its maximum depth. */
const MAX_BODY_BYTES = 256 * 1024
const MAX_BODY_DEPTH = 64

const PREFLIGHT = {
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': 'content-type, authorization, mcp-protocol-version, mcp-method, mcp-name',
  'access-control-max-age': '600',
}

/** Calling a tool needs this scope; other methods need none. */
const TOOL_RULES = { scope: 'read' } as const

const MessageAnswer = z
  .looseObject({ jsonrpc: z.literal('2.0') })
  .meta({ id: 'McpAnswer', description: 'A JSON-RPC 2.0 result or error.' })
/** A refusal of the protocol, or of the checks before it, which all routes share. */
const Refused = z.union([MessageAnswer, ErrorBody])

/**
 * Answers agents over the Model Context Protocol: the streamable HTTP transport without sessions and without streams.
 * The official SDK is not used for it: it checks in another order with other codes, answers clients of the earlier
 * versions with a stream, and refuses those that do not accept one.
 * The function is long because the checks of a request share the parts of the service.
 */
export const mcpRoutes =
  (services: Services, gate: Gate, { allowedOrigins: configured }: McpConfig): FastifyPluginAsync =>
  async (app) => {
    const { config, longReads, callBudget } = services
    const origins = allowedOrigins(config.publicUrl, configured)
    const runMethod = openMethods(config.version)

    const mayRead = (identity: Identity): void => {
      const refusal = gate.findRefusal(identity, TOOL_RULES)
      if (refusal === 'starting') throw new Starting()
      if (refusal === 'unauthenticated')
        throw new Rejected({
          status: 401,
          code: CODES.unauthorized,
          message: CREDENTIAL_REQUIRED,
          headers: { 'www-authenticate': 'Bearer realm="service"' },
        })
      if (refusal === 'forbidden')
        throw new Rejected({ status: 403, code: CODES.unauthorized, message: insufficientScope('read') })
    }

    const takeFromBudget = async ({ user_id, credential_id }: Identity): Promise<void> => {
      const waitMs = await callBudget.take(user_id ?? credential_id ?? 'anonymous')
      if (waitMs === 0) return
      const seconds = Math.max(1, Math.ceil(waitMs / 1000))
      throw new Rejected({
        status: 429,
        code: CODES.rateLimited,
        message: `too many tool calls: try again in ${seconds} s`,
        data: { retryAfterSeconds: seconds },
        headers: { 'retry-after': String(seconds) },
      })
    }

    /** The result of a tool as JSON text. A store that cannot answer is a result too: the agent can try again. */
    const callTool = async (request: FastifyRequest, reply: FastifyReply, name: string, given: Params) => {
      const isAboutServer = name === 'get_server_info'
      const asksForCache = isAboutServer && Array.isArray(given['include']) && given['include'].includes('cache')
      try {
        const call = {
          name,
          given,
          public_url: config.publicUrl,
          server: isAboutServer ? await readMeta(services) : null,
          cache: asksForCache ? await readCacheStats(services) : null,
        }
        const viewer = { ...request.viewer, needed: requiredScope(config.authMode, 'read') }
        const result = await longReads.agentTool(viewer, call, abortWhenClientLeaves(reply))
        // A tool answers always. Null is the answer of a read whose run was deleted meanwhile.
        if (result === null) return errorResult('the run was deleted meanwhile')
        return typeof result.body === 'string' ? result.body : Buffer.from(result.body).toString()
      } catch (error) {
        if (error instanceof TooManyReads) return errorResult(error.message)
        if (error instanceof Unavailable) {
          if (!reply.raw.destroyed) logUnavailable(error, request)
          return errorResult(STORE_UNAVAILABLE)
        }
        request.log.error({ err: error, request_id: request.id }, 'unexpected failure')
        return errorResult('internal server error')
      }
    }

    /** Reads the message of a body, checks it and runs its method. The order of the checks is part of the protocol. */
    const answer = async (body: Uint8Array, request: FastifyRequest, reply: FastifyReply): Promise<Answer> => {
      const { headers } = request
      let id: Id | undefined
      try {
        if (!origins.admits(headers))
          throw new Rejected({
            status: 403,
            code: CODES.invalidRequest,
            message:
              'pages of this origin may not call this endpoint: SERVICE_MCP_ALLOWED_ORIGINS lists those that may',
          })
        const message = readMessage(parsed(body))
        if (!message)
          throw new Rejected({
            status: 400,
            code: CODES.invalidRequest,
            message: 'the body must be one JSON-RPC 2.0 message with a method, and with a string or a number as its id',
          })
        ;({ id } = message)
        const era = eraOf(headers, message)
        if (id === undefined) return { status: 202, text: null }
        if (era === 'modern') checkModern(headers, message)
        const caller = {
          admit: async () => {
            const identity = await gate.identify(request.raw)
            mayRead(identity)
            await takeFromBudget(identity)
          },
          callTool: (name: string, given: Params) => callTool(request, reply, name, given),
        }
        return resultAnswer(id, await runMethod(era, message.method, message.params, caller))
      } catch (error) {
        if (error instanceof Rejected) return rejectedAnswer(error, id)
        throw error
      }
    }

    const allowOrigin = (request: FastifyRequest, reply: FastifyReply): boolean => {
      void reply.header('vary', 'Origin')
      const reader = origins.readerOf(request.headers)
      if (reader !== null) void reply.header('access-control-allow-origin', reader)
      return reader !== null
    }

    app.options('/api/v1/mcp', { config: { scope: null }, schema: { hide: true } }, async (request, reply) => {
      if (allowOrigin(request, reply)) void reply.headers(PREFLIGHT)
      return reply.code(204).send()
    })

    const schema = {
      tags: ['mcp'],
      operationId: 'callAgentMethod',
      summary: 'One message of the Model Context Protocol, for agents',
      response: {
        200: MessageAnswer,
        202: z.undefined(),
        400: Refused,
        401: Refused,
        403: Refused,
        404: MessageAnswer,
        413: ErrorBody,
        415: ErrorBody,
        429: MessageAnswer,
        503: ErrorBody,
      },
    }
    // Pages of other sites may call it without a credential if `origins` admits them.
    const callConfig = { scope: null, crossOrigin: 'by-cookie', document: Envelope } as const
    app.post('/api/v1/mcp', { config: callConfig, schema }, async (request, reply) => {
      allowOrigin(request, reply)
      const encoding = encodingOf(request)
      const body = await inflated(await receive(request.raw, MAX_BODY_BYTES), encoding, MAX_BODY_BYTES)
      const { status, text, headers = {} } = await answer(body, request, reply)
      void (reply as FastifyReply).code(status).headers(headers)
      return text === null ? reply.send() : reply.type('application/json').send(Buffer.from(text))
    })
  }

/** Parses a body. Throws `Rejected`. */
const parsed = (body: Uint8Array): unknown => {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new Rejected({ status: 400, code: CODES.parse, message: 'the body is not valid JSON' })
  }
  if (!isDeeperThan(body, MAX_BODY_DEPTH)) return value
  throw new Rejected({
    status: 400,
    code: CODES.invalidRequest,
    message: `the body is nested deeper than ${MAX_BODY_DEPTH} levels`,
  })
}
