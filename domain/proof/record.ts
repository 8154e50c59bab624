import canonicalize from 'canonicalize'
import { isObject } from '../plain/is-object.ts'
import { ProofFailed } from './failed.ts'
import type { Opening } from './opening.ts'

type Json = null | boolean | number | string | readonly Json[] | JsonObject
type JsonObject = { readonly [name: string]: Json }

/** The body of a record, read from its opening. */
export type OpenedRecord = {
  readonly type: string
  /** Epoch milliseconds, as the server claims. */
  readonly recorded_at: number
  readonly stream: string
  readonly version: number
  readonly request_id: string | null
  readonly actor: JsonObject
  readonly data: JsonObject
  /** The id of the run, decoded; null if the record is about something else. */
  readonly run_id: string | null
  /** The id of the plan, decoded; null if the record is about something else. */
  readonly plan_id: string | null
  /** What the record says about a document. `bytes` is null if only its digest was recorded. */
  readonly document: { readonly bytes: number | null; readonly sha256: string } | null
}

const MEMBERS = 'actor,data,request_id,stream,version'

/**
 * The kind of stream that a type of record must be in. Other types may be in any: later versions of the service may have
 * more types, and readers that were handed out before must not refuse those.
 */
const STREAM_OF_TYPE: ReadonlyMap<string, string> = new Map([
  ['RunIngested', 'run'],
  ['RunDeleted', 'run'],
  ['PlanRegistered', 'plan'],
  ['PlanRevealed', 'plan'],
  ['PlanWithdrawn', 'plan'],
])

/** A body is never nested deeper. Without a limit, readers would differ in what they can read. */
const MAX_NESTING = 64

/**
 * Reads the body of a record whose leaf was verified. Throws `ProofFailed` 10 unless it is the canonical JSON of an event
 * in a stream that its type allows. `verifier/ers_verify.py` has the same rules (`record_of`).
 */
export const parseRecord = ({ body, recorded_at, type }: Opening): OpenedRecord => {
  const value = parseCanonical(body)
  if (!isObject(value) || Object.keys(value).join(',') !== MEMBERS)
    throw new ProofFailed(10, 'the body of the record is not the canonical JSON of an event')
  const { actor, data, request_id, stream, version } = value
  if (
    !isObject(actor) ||
    !isObject(data) ||
    typeof stream !== 'string' ||
    !isWhole(version) ||
    version < 1 ||
    (request_id !== null && typeof request_id !== 'string')
  )
    throw new ProofFailed(10, 'the body of the record is not the canonical JSON of an event')
  const expected = STREAM_OF_TYPE.get(type)
  if (expected !== undefined && !stream.startsWith(`${expected}/`))
    throw new ProofFailed(10, `a record of type ${type} cannot be in the stream ${JSON.stringify(stream)}`)
  return {
    type,
    recorded_at,
    stream,
    version,
    request_id,
    actor,
    data,
    run_id: idIn(stream, 'run'),
    plan_id: idIn(stream, 'plan'),
    document: recordDocument(type, data),
  }
}

/** The id in a stream of one run or plan, `run/<escaped id>`; null for other streams. Each id has one escaped form. */
const idIn = (stream: string, kind: string): string | null => {
  const [first, escaped = '', ...rest] = stream.split('/')
  if (first !== kind) return null
  const id = decoded(escaped)
  if (id === null || id === '' || rest.length > 0 || encodeURIComponent(id) !== escaped)
    throw new ProofFailed(10, `${JSON.stringify(stream)} is not the stream of one ${kind}`)
  return id
}

const isWhole = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

const decoded = (part: string): string | null => {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

/** The value of a canonical JSON text; undefined for any other text. */
const parseCanonical = (text: string): Json | undefined => {
  try {
    const value = JSON.parse(text) as Json
    return isNestedWithin(value, MAX_NESTING) && canonicalize(value) === text ? value : undefined
  } catch {
    // Not JSON, or JSON that has no canonical text: numbers beyond a double, lone surrogates.
    return undefined
  }
}

/** Whether a value has no more than so many objects and lists inside each other. */
const isNestedWithin = (value: Json, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((member: Json) => isNestedWithin(member, levels - 1)))

const recordDocument = (type: string, data: JsonObject): OpenedRecord['document'] => {
  if (type === 'RunIngested') return documentDigest(data['document_sha256'], data['document_bytes'] ?? undefined)
  if (type === 'PlanRegistered') return documentDigest(data['plan_sha256'], data['plan_bytes'])
  return null
}

const documentDigest = (sha256: Json | undefined, bytes: Json | undefined): OpenedRecord['document'] => {
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256) || (bytes !== null && !isWhole(bytes)))
    throw new ProofFailed(10, 'the record does not say which document it is about')
  return { sha256, bytes }
}
