import { errorResult, MAX_RESULT_BYTES } from '../../queries/agents/answer.ts'
import { tooLarge } from '../../queries/agents/refusals.ts'
import { findTool, isTool } from '../../queries/agents/tools.ts'
import { toolDefinitions } from '../../queries/agents/definitions.ts'
import { SERVICE_NAME } from '../server-facts.ts'
import { INSTRUCTIONS } from './instructions.ts'
import {
  asObject,
  CODES,
  isLegacyVersion,
  LEGACY_VERSIONS,
  SUPPORTED_VERSIONS,
  type Era,
  type Params,
} from './messages.ts'
import { getPrompt, promptDefinitions } from './prompts.ts'
import { Rejected } from './refusals.ts'

const HOUR = 3_600_000

/** What the service offers. The lists never change while it runs. */
const CAPABILITIES = { tools: { listChanged: false }, prompts: { listChanged: false } }

/** A method: its result as JSON text, which is an object. `ttlMs` is how long a client may cache it. */
type Method = {
  readonly ttlMs?: number
  readonly result: (params: Params, caller: Caller) => string | Promise<string>
}

/** Calls a tool for the caller; returns the result as JSON text. Throws `Rejected`. */
export type CallTool = (name: string, given: Params) => Promise<string>

/** What the methods need of one request. `admit` throws `Rejected` unless the caller may call a tool now. */
export type Caller = { readonly admit: () => Promise<void>; readonly callTool: CallTool }

const callTool: Method = {
  result: async ({ name, arguments: given }, caller) => {
    await caller.admit()
    if (typeof name !== 'string')
      throw new Rejected({ status: 200, code: CODES.invalidParams, message: 'name: must be the name of a tool' })
    if (!isTool(name))
      throw new Rejected({
        status: 200,
        code: CODES.methodNotFound,
        message: `unknown tool ${JSON.stringify(name.slice(0, 80))}: tools/list lists the tools`,
      })
    return caller.callTool(name, asObject(given))
  },
}

/** All methods by name. A result for the modern version also says what the service is and how long it is valid. */
export const openMethods = (version: string) => {
  const serverInfo = { name: SERVICE_NAME, version }
  const [newestLegacy] = LEGACY_VERSIONS
  const handshake = JSON.stringify({ capabilities: CAPABILITIES, serverInfo, instructions: INSTRUCTIONS }).slice(1)
  const discovered = JSON.stringify({
    supportedVersions: SUPPORTED_VERSIONS,
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
  })
  const [tools, prompts] = [toolDefinitions(), promptDefinitions()]
  const methods = new Map<string, Method>([
    ['server/discover', { ttlMs: HOUR, result: () => discovered }],
    [
      'initialize',
      {
        result: ({ protocolVersion: asked }) =>
          `{"protocolVersion":"${isLegacyVersion(asked) ? asked : newestLegacy}",${handshake}`,
      },
    ],
    ['ping', { result: () => '{}' }],
    ['tools/list', { ttlMs: 300_000, result: () => tools }],
    ['prompts/list', { ttlMs: 600_000, result: () => prompts }],
    ['prompts/get', { result: ({ name, arguments: given }) => getPrompt(name, asObject(given)) }],
    ['tools/call', callTool],
  ])

  /** A result of the modern version: JSON text of an object, with more members. */
  const modernResult = (result: string, ttlMs: number | undefined): string => {
    const added = JSON.stringify({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
      ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: 'public' }),
    })
    return result === '{}' ? added : `${result.slice(0, -1)},${added.slice(1)}`
  }

  /** Runs a method; returns its result as JSON text. Throws `Rejected`. */
  return async (era: Era, name: string, params: Params, caller: Caller): Promise<string> => {
    const method = methods.get(name)
    if (!method)
      throw new Rejected({
        status: 404,
        code: CODES.methodNotFound,
        message: `unknown method ${JSON.stringify(name.slice(0, 80))}`,
      })
    const result = await method.result(params, caller)
    if (era === 'legacy') return result
    const whole = modernResult(result, method.ttlMs)
    // A result of a tool within the limit may exceed it with what was added.
    if (name !== 'tools/call' || Buffer.byteLength(whole) <= MAX_RESULT_BYTES) return whole
    return modernResult(errorResult(tooLarge(findTool(String(params['name'])).narrowing)), undefined)
  }
}
