import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorResult } from '../../queries/agents/answer.ts'
import { asksForTranscript } from '../../queries/agents/get-case.ts'
import { TooManyReads } from '../../queries/too-many-reads.ts'
import { chosenTranscript, listCaseTranscripts } from '../../queries/transcripts/case-transcripts.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { Outlines } from '../../runtime/outlines/outlines.ts'
import { Unavailable } from '../../storage/errors.ts'
import { abortWhenClientLeaves } from '../answers/client-left.ts'
import { logUnavailable, STORE_UNAVAILABLE } from '../answer-error.ts'
import type { Gate } from '../identity/gate.ts'
import { CREDENTIAL_REQUIRED, insufficientScope, requiredScope, type Identity } from '../identity/identity.ts'
import { readCacheStats, readMeta } from '../server-facts.ts'
import type { Services } from '../services.ts'
import { CODES, type Params } from './messages.ts'
import { Rejected } from './refusals.ts'

/** Calling a tool needs this scope; other methods need none. */
const TOOL_RULES = { scope: 'read' } as const

/** Throws `Rejected` unless the caller may call tools. */
export const checkMayRead = (gate: Gate, identity: Identity): void => {
  const refusal = gate.findRefusal(identity, TOOL_RULES)
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

/** Counts a call. Throws `Rejected` if the caller made too many. */
export const takeFromBudget = async ({ callBudget }: Services, { user_id, credential_id }: Identity): Promise<void> => {
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

/** What calls of tools need of the server. */
export type ToolParts = { readonly services: Services; readonly outlines: Outlines }

/** Begins the outline of the transcript that a call asks for, if there is one: the tool reads what is outlined. */
const beginTranscript = async ({ services, outlines }: ToolParts, viewer: Viewer, given: Params): Promise<void> => {
  const { run_id, case_key, sha256 } = given
  if (!asksForTranscript(given) || typeof run_id !== 'string' || typeof case_key !== 'string') return
  const transcripts = await services.reader.read(listCaseTranscripts(viewer, { run_id, case_key }))
  const part = chosenTranscript(transcripts, sha256)
  if (part) await outlines.begin(viewer, { run_id, sha256: part.sha256 }, part)
}

/** The result of a tool as JSON text. A store that cannot answer is a result too: the agent can try again. */
export const callTool = async (
  parts: ToolParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, given }: { readonly name: string; readonly given: Params },
): Promise<string> => {
  const { services } = parts
  const { config, longReads } = services
  const isAboutServer = name === 'get_server_info'
  const asksForCache = isAboutServer && Array.isArray(given['include']) && given['include'].includes('cache')
  try {
    const call = {
      name,
      given,
      public_url: config.publicUrl,
      server: isAboutServer ? await readMeta(services) : null,
      now: services.now(),
      cache: asksForCache ? await readCacheStats(services) : null,
    }
    const viewer = { ...request.viewer, needed: requiredScope(config.authMode, 'read') }
    if (name === 'get_case') await beginTranscript(parts, viewer, given)
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
