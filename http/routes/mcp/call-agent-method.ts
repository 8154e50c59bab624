import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { answerMessage, type McpParts } from '../../mcp/answer-message.ts'
import { Envelope } from '../../mcp/messages.ts'
import { allowOrigin } from '../../mcp/origins.ts'
import { encodingOf, inflated, receive } from '../../requests/body.ts'
import type { Route } from '../route.ts'

/** Maximum size of a body after decompression, in bytes. */
const MAX_BODY_BYTES = 256 * 1024

const MessageAnswer = z
  .looseObject({ jsonrpc: z.literal('2.0') })
  .meta({ id: 'McpAnswer', description: 'A JSON-RPC 2.0 result or error.' })
/** A refusal of the protocol, or of the checks before it, which all routes share. */
const RefusalAnswer = z.union([MessageAnswer, ErrorBody])

/**
 * Answers agents over the Model Context Protocol: the streamable HTTP transport without sessions and without streams.
 * The official SDK is not used for it: it checks in another order with other codes, answers clients of the earlier
 * versions with a stream, and refuses those that do not accept one.
 */
export const callAgentMethodRoute =
  (parts: McpParts): Route =>
  (app) =>
    app.post(
      '/api/v1/mcp',
      {
        // Pages of other sites may call it without a credential if `origins` admits them.
        config: { scope: null, crossOrigin: 'by-cookie', document: Envelope },
        schema: {
          tags: ['mcp'],
          operationId: 'callAgentMethod',
          summary: 'One message of the Model Context Protocol, for agents',
          response: {
            200: MessageAnswer,
            202: z.undefined(),
            400: RefusalAnswer,
            401: RefusalAnswer,
            403: RefusalAnswer,
            404: MessageAnswer,
            413: ErrorBody,
            415: ErrorBody,
            429: MessageAnswer,
            503: ErrorBody,
          },
        },
      },
      async (request, reply) => {
        allowOrigin(parts.origins, request, reply)
        const encoding = encodingOf(request)
        const body = await inflated(await receive(request.raw, MAX_BODY_BYTES), encoding, MAX_BODY_BYTES)
        const { status, text, headers = {} } = await answerMessage(body, request, reply, parts)
        const sender = (reply as FastifyReply).code(status).headers(headers)
        return text === null ? sender.send() : sender.type('application/json').send(Buffer.from(text))
      },
    )
