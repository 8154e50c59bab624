import type { IncomingHttpHeaders } from 'node:http'
import { isObject } from '../../domain/plain/is-object.ts'
import { CODES, isLegacyVersion, MODERN_VERSION, SUPPORTED_VERSIONS, type Era, type Message } from './messages.ts'
import { Rejected } from './refusals.ts'

// What a request says about itself in its headers and in `_meta`.

const PREFIX = 'io.modelcontextprotocol/'

const single = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === 'string' || header === undefined ? header : header.join(', ')

/** Messages of the handshake, which only the legacy versions have. */
const HANDSHAKE: readonly string[] = ['initialize', 'notifications/initialized']

/** The rules of the version that a request names. Throws `Rejected` for a version that is not supported. */
export const eraOf = (headers: IncomingHttpHeaders, { method }: Pick<Message, 'method'>): Era => {
  const requested = single(headers['mcp-protocol-version'])
  if (HANDSHAKE.includes(method) || requested === undefined || isLegacyVersion(requested)) return 'legacy'
  if (requested === MODERN_VERSION) return 'modern'
  throw new Rejected({
    status: 400,
    code: CODES.unsupportedVersion,
    message: `unsupported protocol version ${JSON.stringify(requested.slice(0, 80))}`,
    data: { supported: SUPPORTED_VERSIONS, requested },
  })
}

/** Which parameter the header `Mcp-Name` repeats, by method. */
const NAMED: ReadonlyMap<string, 'name' | 'uri'> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

/** Checks what every request of the modern version must say. Throws `Rejected`. */
export const checkModern = (headers: IncomingHttpHeaders, { method, params }: Message): void => {
  const meta = isObject(params['_meta']) ? params['_meta'] : {}
  const version = meta[`${PREFIX}protocolVersion`]
  if (typeof version !== 'string') throw missing('protocolVersion', 'a string')
  if (!isObject(meta[`${PREFIX}clientCapabilities`])) throw missing('clientCapabilities', 'an object')
  checkHeader('MCP-Protocol-Version', single(headers['mcp-protocol-version']), version)
  checkHeader('Mcp-Method', single(headers['mcp-method']), method)
  const named = NAMED.get(method)
  if (named === undefined) return
  const name = params[named]
  checkHeader('Mcp-Name', decodedName(single(headers['mcp-name'])), typeof name === 'string' ? name : undefined)
}

const missing = (member: string, type: string): Rejected =>
  new Rejected({
    status: 400,
    code: CODES.invalidParams,
    message: `params._meta["${PREFIX}${member}"]: must be ${type}`,
  })

const checkHeader = (name: string, given: string | undefined, expected: string | undefined): void => {
  if (given !== undefined && given === expected) return
  throw new Rejected({
    status: 400,
    code: CODES.headerMismatch,
    message: `the header ${name} must be present and have the value of the body`,
  })
}

const BASE64 = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/

/** A name as it is, or as `=?base64?<base64 of UTF-8>?=` if it has characters that no header has. */
const decodedName = (header: string | undefined): string | undefined => {
  if (header === undefined || !header.startsWith('=?base64?')) return header
  const [, encoded] = BASE64.exec(header) ?? []
  if (encoded === undefined) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Not UTF-8, so it names nothing.
    return undefined
  }
}
