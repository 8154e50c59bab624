import { messageOf } from '../../domain/plain/message-of.ts'
import { cacheBody } from '../../domain/cache/body.ts'
import { isDeeperThan } from '../../domain/cache/json-bounds.ts'
import { parseExact } from '../../domain/run/canonical-json.ts'
import { readAs } from '../../domain/run/readers.ts'
import { MAX_DEPTH } from '../../domain/run/scan.ts'
import type { JsonObject } from '../json.ts'
import { present } from '../providers/read-json.ts'
import { isTooLarge } from '../response-json.ts'
import type { StoredGrading, StoredResponse } from './call-cache.ts'

// The body of a cache entry, which all engines share: one JSON object in UTF-8, without white space.

/** The parts of an entry that its writer adds: an instant in RFC 3339, and the version of the engine. */
export type EntryStamp = { readonly created_at: string; readonly service_version: string }

/**
 * Returns the bytes of the entry of a provider call. A `raw` of more than 64 KiB is left out. An absent output is
 * written as null.
 */
export const responseEntry = (request: JsonObject, response: StoredResponse, stamp: EntryStamp): Uint8Array => {
  const { output, raw, tool_calls, ...others } = response
  return entryBytes({
    ...stamp,
    kind: 'provider',
    request: reduced(request),
    output: output ?? null,
    ...others,
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
    ...(raw === undefined || isTooLarge(raw) ? {} : { raw }),
  })
}

/** Returns the bytes of the entry of a grading call. Its `raw` is always complete: a hit reads it again. */
export const gradingEntry = (request: JsonObject, grading: StoredGrading, stamp: EntryStamp): Uint8Array =>
  entryBytes({ ...stamp, request: reduced(request), ...grading })

/** Reads the entry of a provider call. Throws an `Error` if the bytes are none. */
export const readResponseEntry = (bytes: Uint8Array): StoredResponse => {
  const { output, tool_calls, attempts, provider_latency_ms, ...body } = readEntry(bytes)
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
