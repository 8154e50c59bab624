import { createHash, randomBytes } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Actor, NewEvent } from '../command.ts'
import { leafHash } from './merkle.ts'

// Permanent formats: none of this may change once a record exists. The specs compare a check value byte by byte.

/**
 * The values of one event that are hashed and stored. `body` holds the exact bytes, `leaf` the leaf hash according to
 * RFC 6962.
 */
export type Sealed = {
  readonly body: string
  readonly salt: Buffer
  readonly commitment: Buffer
  readonly leaf: Buffer
}

export type Body = {
  readonly actor: Actor
  readonly data: unknown
  readonly request_id: string | null
  readonly stream: string
  readonly version: number
}

/** The RFC 8785 text of an event body. Throws on values that JSON cannot represent (lone surrogates, NaN). */
export const bodyText = ({ actor, data, request_id, stream, version }: Body): string => {
  const { address, credential_id, kind, scope, user_id } = actor
  const text = canonicalize({
    actor: { address, credential_id, kind, scope, user_id },
    data,
    request_id,
    stream,
    version,
  })
  if (text === undefined) throw new Error('an event body must be JSON')
  return text
}

/**
 * SHA-256(salt ‖ body): commits to the body without revealing it. After an erasure, the body cannot be guessed from it.
 */
export const recordCommitment = (salt: Uint8Array, body: string): Buffer =>
  createHash('sha256').update(salt).update(body, 'utf8').digest()

/** The entry of a record in the tree: the canonical JSON of `{commitment, recorded_at, type}`. */
export const logEntry = (commitment: Uint8Array, recorded_at: number, type: string): string =>
  canonicalize({ commitment: Buffer.from(commitment).toString('hex'), recorded_at, type }) ?? ''

/** SHA-256(0x00 ‖ entry). It is RFC 6962 leaf `seq` − 1. */
export const recordLeaf = (commitment: Uint8Array, recorded_at: number, type: string): Buffer =>
  leafHash(logEntry(commitment, recorded_at, type))

/** Seals one event. The salt is 16 random bytes unless a spec provides one. */
export const seal = (body: Body, type: string, recorded_at: number, salt: Buffer = randomBytes(16)): Sealed => {
  const text = bodyText(body)
  const commitment = recordCommitment(salt, text)
  return { body: text, salt, commitment, leaf: recordLeaf(commitment, recorded_at, type) }
}

/** The name of a stream: kind and identity. Each part is escaped, so that `/` always separates parts. */
export const streamOf = (kind: string, ...parts: readonly string[]): string =>
  [kind, ...parts.map(encodeURIComponent)].join('/')

/** Creates an event of a stream, not yet recorded. */
export const event = <Type extends string, Data>(stream: string, type: Type, data: Data): NewEvent<Type, Data> => ({
  stream,
  type,
  data,
})
