import type { ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { LongReadAnswer } from '../../queries/long-reads.ts'
import { MAX_UNSPLIT_CHARACTERS, PART_CHARACTERS } from '../../queries/parts.ts'
import { countPassedBytes } from '../../queries/export/passed-memory.ts'
import { Unavailable } from '../../storage/errors.ts'
import { byteBudget } from '../requests/byte-budget.ts'

/** Maximum bytes of all large answers that are being sent. */
export const MAX_OUTGOING_BYTES = 128 * 1024 * 1024

/** Answers up to this size are not counted: there are many of them, and they are sent at once. */
export const SMALL_ANSWER_BYTES = 64 * 1024

/** Memory that an export takes, however large the document: a few frames, compressed and uncompressed. */
export const EXPORT_BYTES = 4 * 1024 * 1024

/** Of an answer that is compressed while it is made: higher levels take twice the time for a few percent. */
export const GZIP_LEVEL = 4

export type OutgoingBytes = {
  /**
   * Counts the bytes of an answer until its client has received them or is disconnected. Throws `Unavailable` if all
   * counted bytes together would exceed the limit, unless no other answer is counted.
   */
  readonly hold: (response: ServerResponse, bytes: number) => void
  /** Like `hold`, but returns false instead of throwing. */
  readonly admits: (response: ServerResponse, bytes: number) => boolean
}

/** Memory that streams take while they are sent. */
const costs = new WeakMap<object, number>()

/** Declares how much memory a stream takes while it is sent. */
export const bytesHeldBy = <S extends Readable>(stream: S, bytes: number): S => {
  costs.set(stream, bytes)
  return stream
}

type Rest = LongReadAnswer['rest']

async function* answerParts(beginning: Array<string | Uint8Array>, rest: Rest): AsyncGenerator<string | Uint8Array> {
  // Removed from the array, so that nothing references it once it is sent.
  yield beginning.pop() ?? ''
  while (rest) {
    const part = await rest.next()
    if (!part) throw new Unavailable('what is being sent was deleted meanwhile')
    rest = part.rest
    countPassedBytes(part.body.length)
    // A part that only read has no bytes.
    if (part.body.length > 0) yield part.body
  }
}

/** An answer in parts. Each part is produced when the client has received the previous one. */
export const answerStream = (beginning: string | Uint8Array, rest: NonNullable<Rest>): Readable =>
  bytesHeldBy(
    Readable.from(answerParts([beginning], rest), { objectMode: false, highWaterMark: PART_CHARACTERS }),
    costOfParts(memoryCost(beginning)) + rest.memoryBytes,
  )

/** The same stream with a text before and after it. If the stream fails, so does the result, and without the second text. */
export const withAround = (
  stream: Readable,
  { before, after }: { readonly before: string; readonly after: string },
): Readable => {
  const all = async function* (): AsyncGenerator<string | Uint8Array> {
    yield before
    yield* stream as AsyncIterable<Uint8Array>
    yield after
  }
  return bytesHeldBy(
    Readable.from(all(), { objectMode: false, highWaterMark: PART_CHARACTERS }),
    memoryCost(stream) + before.length,
  )
}

/** Memory that a compressor takes (zlib: a window, a hash table and its buffers). */
const GZIP_BYTES = 320 * 1024

/**
 * The same stream, compressed. Each part is sent at once, however small. If the stream fails, the compressed one fails
 * too.
 */
export const gzipped = (stream: Readable): Readable => {
  const compressor = createGzip({ level: GZIP_LEVEL, flush: constants.Z_SYNC_FLUSH })
  // The error reaches whatever reads the compressed stream.
  pipeline(stream, compressor, () => {})
  return bytesHeldBy(compressor, memoryCost(stream) + GZIP_BYTES)
}

/**
 * Memory for the beginning and two parts that are produced ahead. A part may be larger than `PART_CHARACTERS`: one row
 * of a wide matrix may have megabytes. So the size of a part is estimated by how much the beginning exceeds its own
 * limit.
 */
const costOfParts = (beginningBytes: number): number =>
  Math.max(MAX_UNSPLIT_CHARACTERS, beginningBytes) +
  2 * Math.max(PART_CHARACTERS, beginningBytes - MAX_UNSPLIT_CHARACTERS)

const memoryCost = (payload: unknown): number => {
  if (typeof payload === 'string') return Buffer.byteLength(payload)
  if (payload instanceof Uint8Array) return payload.byteLength
  return typeof payload === 'object' && payload !== null ? (costs.get(payload) ?? 0) : 0
}

/**
 * Bounds the bytes of all large answers that are not received yet, so that clients which do not read cannot exhaust
 * memory. If an answer would exceed the bound, its request is rejected with 503 and Retry-After.
 */
export const outgoingBytes = (maxBytes = MAX_OUTGOING_BYTES): OutgoingBytes => {
  const budget = byteBudget(maxBytes, 'too many large answers are on their way')
  const hold: OutgoingBytes['hold'] = (response, bytes) => {
    if (bytes <= SMALL_ANSWER_BYTES || response.closed) return
    const reservation = budget.enter()
    reservation.grow(bytes)
    // `finish` means that the operating system has all bytes.
    response.once('finish', reservation.leave).once('close', reservation.leave)
  }
  return {
    hold,
    admits: (response, bytes) => {
      try {
        hold(response, bytes)
        return true
      } catch (error) {
        if (error instanceof Unavailable) return false
        throw error
      }
    },
  }
}

/** Counts every answer of the app. Before you call this, add all hooks that decide what is sent. */
export const countOutgoing = (app: FastifyInstance, { hold }: OutgoingBytes): void => {
  app.addHook('onSend', async ({ method }, reply, payload) => {
    if (method === 'HEAD') return payload
    try {
      hold(reply.raw, memoryCost(payload))
    } catch (error) {
      if (payload instanceof Readable) payload.destroy()
      void reply.removeHeader('etag').removeHeader('content-length')
      throw error
    }
    return payload
  })
}
