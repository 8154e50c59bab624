import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDeeperThan } from '../../domain/cache/json-bounds.ts'
import type { Outlines } from '../../runtime/outlines/outlines.ts'
import type { Gate } from '../identity/gate.ts'
import type { Services } from '../services.ts'
import { checkModern, eraOf } from './checks.ts'
import { CODES, readMessage, resultAnswer, type Answer, type Id, type Params } from './messages.ts'
import type { openMethods } from './methods.ts'
import type { Origins } from './origins.ts'
import { Rejected, rejectedAnswer } from './refusals.ts'
import { callTool, checkMayRead, takeFromBudget } from './tool-calls.ts'

/** Maximum depth of a body. */
const MAX_BODY_DEPTH = 64

export type McpParts = {
  readonly services: Services
  readonly gate: Gate
  readonly outlines: Outlines
  readonly origins: Origins
  readonly runMethod: ReturnType<typeof openMethods>
}

/** Reads the message of a body, checks it and runs its method. The order of the checks is part of the protocol. */
export const answerMessage = async (
  body: Uint8Array,
  request: FastifyRequest,
  reply: FastifyReply,
  { services, gate, outlines, origins, runMethod }: McpParts,
): Promise<Answer> => {
  const { headers } = request
  let id: Id | undefined
  try {
    if (!origins.admits(headers))
      throw new Rejected({
        status: 403,
        code: CODES.invalidRequest,
        message: 'pages of this origin may not call this endpoint: SERVICE_MCP_ALLOWED_ORIGINS lists those that may',
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
        checkMayRead(gate, identity)
        await takeFromBudget(services, identity)
      },
      callTool: (name: string, given: Params) => callTool({ services, outlines }, request, reply, { name, given }),
    }
    return resultAnswer(id, await runMethod(era, message.method, message.params, caller))
  } catch (error) {
    if (error instanceof Rejected) return rejectedAnswer(error, id)
    throw error
  }
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
