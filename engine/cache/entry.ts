import { messageOf } from '../../domain/plain/message-of.ts'
import { cacheBody } from '../../domain/cache/body.ts'
import { isDeeperThan } from '../../domain/cache/json-bounds.ts'
import { parseExact } from '../../domain/run/canonical-json.ts'
import { readAs } from '../../domain/run/readers.ts'
import { MAX_DEPTH } from '../../domain/run/scan.ts'
import { collectParts, type CasePart } from '../evidence/case-parts.ts'
import type { PartsFolder } from '../evidence/parts-folder.ts'
import type { JsonObject } from '../json.ts'
import { present } from '../providers/read-json.ts'
import { isTooLarge } from '../response-json.ts'
import type { StoredGrading, StoredResponse } from './call-cache.ts'
import { CacheUnavailable } from './client.ts'

// The body of a cache entry, which all engines share: one JSON object in UTF-8, without white space.

/** The parts of an entry that its writer adds: an instant in RFC 3339, and the version of the engine. */
export type EntryStamp = { readonly created_at: string; readonly service_version: string }

/**
 * Returns the bytes of the entry of a provider call. A `raw` of more than 64 KiB is left out. An absent output is
 * written as null. Parts are in it as base64; throws `CacheUnavailable` if they are too large together.
 */
export const responseEntry = (
  request: JsonObject,
  response: StoredResponse,
  stamp: EntryStamp,
  folder: PartsFolder,
): Uint8Array => {
  const { output, raw, tool_calls, parts = [], ...others } = response
  const partBytes = parts.reduce((sum, { bytes }) => sum + bytes, 0)
  if (partBytes > MAX_PARTS_BYTES)
    throw new CacheUnavailable(`an answer has files of ${partBytes} bytes, and an entry takes ${MAX_PARTS_BYTES}`)
  return entryBytes({
    ...stamp,
    kind: 'provider',
    request: reduced(request),
    output: output ?? null,
    ...others,
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
    ...(raw === undefined || isTooLarge(raw) ? {} : { raw }),
    ...(parts.length === 0 ? {} : { parts: parts.map((part) => entryPart(part, folder)) }),
  })
}

/** Bytes of the parts of an answer in an entry: as base64 they leave room for the rest of its 64 MiB. */
const MAX_PARTS_BYTES = 32 * 1024 * 1024

const entryPart = ({ sha256, role, name, media_type }: CasePart, folder: PartsFolder): object => ({
  role,
  name,
  media_type,
  data: Buffer.from(folder.read(sha256)).toString('base64'),
})

/** Returns the bytes of the entry of a grading call. Its `raw` is always complete: a hit reads it again. */
export const gradingEntry = (request: JsonObject, grading: StoredGrading, stamp: EntryStamp): Uint8Array =>
  entryBytes({ ...stamp, request: reduced(request), ...grading })

/** Reads the entry of a provider call, and puts its parts into a folder. Throws an `Error` if the bytes are none. */
export const readResponseEntry = (bytes: Uint8Array, folder: PartsFolder): StoredResponse => {
  const { output, tool_calls, attempts, provider_latency_ms, parts = [], ...body } = readEntry(bytes)
  const collected = collectParts(folder)
  for (const { data, ...part } of parts) collected.add(part, Buffer.from(data, 'base64'))
  return {
    ...(output === null ? {} : { output }),
    tool_calls: tool_calls ?? [],
    attempts: attempts ?? 1,
    provider_latency_ms: provider_latency_ms ?? 0,
    ...present<Omit<StoredResponse, 'output' | 'tool_calls' | 'attempts' | 'provider_latency_ms'>>({
      usage: body.usage,
      cost_usd: body.cost_usd,
      model: body.model,
      stop_reason: body.stop_reason,
      reasoning: body.reasoning,
      empty_reason: body.empty_reason,
      raw: body.raw,
      address: body.address,
      program_digest: body.program_digest,
      parts: collected.parts.length === 0 ? undefined : collected.parts,
    }),
  }
}

/** Reads the entry of a grading call. Throws an `Error` if the bytes are none. */
export const readGradingEntry = (bytes: Uint8Array): Omit<StoredGrading, 'kind'> => {
  const body = readEntry(bytes)
  return {
    output: body.output,
    raw: body.raw ?? null,
    ...present<Omit<StoredGrading, 'kind' | 'output' | 'raw'>>({
      usage: body.usage,
      cost_usd: body.cost_usd,
      model: body.model,
      verdict: body.verdict,
    }),
  }
}

/** Throws an `Error` if bytes are no entry, neither of a provider call nor of a grading call. */
export const assertEntry = (bytes: Uint8Array): void => void readEntry(bytes)

/** What is wrong with an entry. Its reader is that of run documents, whose messages start with what they are about. */
export const entryProblem = (error: unknown): string => messageOf(error).replace(/^invalid run document: /, '')

const readEntry = (bytes: Uint8Array): ReturnType<typeof cacheBody> => {
  // Deeper values could be read, but not written again.
  if (isDeeperThan(bytes, MAX_DEPTH)) throw new Error(`it is nested deeper than ${MAX_DEPTH}`)
  return readAs(cacheBody, parseEntry(UTF8.decode(bytes)))
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses JSON and keeps numbers that no double represents. Parsing them takes several times as long, so a text is first
 * searched for a number of 16 characters, an exponent or minus zero. Strings may match too, which only costs time.
 */
const parseEntry = (text: string): unknown => (MAY_BE_INEXACT.test(text) ? parseExact(text) : JSON.parse(text))
const MAY_BE_INEXACT = /[:,[\s](?:-?[\d.]{15}|-?\d[\d.]*[eE]|-0)/

const entryBytes = (body: object): Uint8Array => Buffer.from(JSON.stringify(body))

/** The members that say where a request went: what remains of a request that is too large. */
const ADDRESS_MEMBERS = ['transport', 'method', 'url', 'command', 'args'] as const

const reduced = (request: JsonObject): JsonObject =>
  isTooLarge(request)
    ? Object.fromEntries(ADDRESS_MEMBERS.flatMap((name) => (name in request ? [[name, request[name]!]] : [])))
    : request
