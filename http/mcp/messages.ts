import { z } from 'zod'
import { isObject } from '../../domain/plain/is-object.ts'

// Messages of the Model Context Protocol: JSON-RPC 2.0, one message a request (specification of the protocol, versions
// 2025-06-18, 2025-11-25 and 2026-07-28).

/** Which rules a request follows. The modern version has no handshake: every request says what it needs. */
export type Era = 'modern' | 'legacy'

export const MODERN_VERSION = '2026-07-28'
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18'] as const
/** All versions, newest first. */
export const SUPPORTED_VERSIONS = [MODERN_VERSION, ...LEGACY_VERSIONS] as const

export const isLegacyVersion = (version: unknown): version is (typeof LEGACY_VERSIONS)[number] =>
  LEGACY_VERSIONS.some((legacy) => legacy === version)

/** Codes of errors: those of JSON-RPC, of the protocol, and of this service (from -31000). */
export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  unauthorized: -31001,
  rateLimited: -31002,
} as const

export type Id = string | number
export type Params = Readonly<Record<string, unknown>>

/** A message of a client. Without an id it is a notification. */
export type Message = { readonly id: Id | undefined; readonly method: string; readonly params: Params }

/** What every message must have. */
export const Envelope = z
  .looseObject({
    jsonrpc: z.literal('2.0').optional(),
    id: z.union([z.string(), z.number()]).optional(),
    method: z.string(),
    params: z.unknown().optional(),
  })
  .meta({ id: 'McpMessage', description: 'A JSON-RPC 2.0 message of the Model Context Protocol.' })

/** Reads a message; null if the value is none. Parameters that are no object read as no parameters. */
export const readMessage = (value: unknown): Message | null => {
  const parsed = Envelope.safeParse(value)
  if (!parsed.success) return null
  const { id, method, params } = parsed.data
  return { id, method, params: asObject(params) }
}

export const asObject = (value: unknown): Params => (isObject(value) ? value : {})

/** An answer with its status. `text` is its JSON, null for no body. */
export type Answer = {
  readonly status: number
  readonly text: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer with a result, which is JSON text. */
export const resultAnswer = (id: Id | undefined, result: string): Answer => ({
  status: 200,
  text: `{"jsonrpc":"2.0",${id === undefined ? '' : `"id":${JSON.stringify(id)},`}"result":${result}}`,
})
