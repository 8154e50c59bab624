import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { LongReadAnswer } from '../../queries/long-reads.ts'
import { MAX_UNSPLIT_BYTES, PART } from '../../queries/parts.ts'
import { Unavailable } from '../../storage/errors.ts'
import { byteBudget } from '../requests/upload-budget.ts'

/** Bytes of large answers that may be on their way at once. */
export const MAX_OUTGOING_BYTES = 128 * 1024 * 1024

/** Smaller answers are not counted: they are many, and gone at once. */
export const SMALL_ANSWER_BYTES = 64 * 1024

/** What a document costs while it is exported, however large: some frames, packed and unpacked. */
export const EXPORT_BYTES = 2 * 1024 * 1024

export type OutgoingBytes = {
  /**
   * Counts the bytes of an answer until its client took them or is disconnected. Throws `Unavailable` where there is no
   * room for them; one alone has room.
   */
  readonly hold: (response: ServerResponse, bytes: number) => void
  /** As `hold`, but answers whether there was room. */
  readonly admits: (response: ServerResponse, bytes: number) => boolean
}

/** What streams cost in memory while they are sent. */
const costs = new WeakMap<object, number>()

/** Says what a stream costs in memory while it is sent. */
export const bytesHeldBy = <S extends Readable>(stream: S, bytes: number): S => {
  costs.set(stream, bytes)
  return stream
}

type Rest = LongReadAnswer['rest']

async function* partsOf(begin: Array<string | Uint8Array>, rest: Rest): AsyncGenerator<string | Uint8Array> {
  // Taken out, so that what is sent is held by nothing.
  yield begin.pop() ?? ''
  while (rest) {
    const part = await rest.next()
    if (!part) throw new Unavailable('what is being sent was deleted meanwhile')
    rest = part.rest
    yield part.body
  }
}

/** An answer that goes on, each part made when the client took the one before. */
export const streamOf = (begin: string | Uint8Array, rest: NonNullable<Rest>): Readable =>
  bytesHeldBy(
    Readable.from(partsOf([begin], rest), { objectMode: false, highWaterMark: PART }),
    costOfParts(costOf(begin)) + rest.held,
  )

/**
 * The begin, and two parts that are made ahead. What the begin is too long by came with its last part: one row of a
 * wide matrix may have megabytes.
 */
const costOfParts = (begin: number): number =>
  Math.max(MAX_UNSPLIT_BYTES, begin) + 2 * Math.max(PART, begin - MAX_UNSPLIT_BYTES)

const costOf = (payload: unknown): number => {
  if (typeof payload === 'string') return Buffer.byteLength(payload)
  if (payload instanceof Uint8Array) return payload.byteLength
  return typeof payload === 'object' && payload !== null ? (costs.get(payload) ?? 0) : 0
}

/**
 * Bounds the bytes of all large answers that exist and are not taken yet, so that clients who do not read exhaust no
 * memory. Beyond it the next answer is told to come back.
 */
export const outgoingBytes = (mostBytes = MAX_OUTGOING_BYTES): OutgoingBytes => {
  const places = byteBudget(mostBytes, 'too many large answers are on their way')
  const hold: OutgoingBytes['hold'] = (response, bytes) => {
    if (bytes <= SMALL_ANSWER_BYTES || response.closed) return
    const place = places.enter()
    place.grow(bytes)
    // Finished is what the system took.
    response.once('finish', place.leave).once('close', place.leave)
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

/** Lets every answer of the app pass through the bound. To be added behind the hooks that decide what is sent. */
export const countOutgoing = (app: FastifyInstance, { hold }: OutgoingBytes): void => {
  app.addHook('onSend', async ({ method }, reply, payload) => {
    if (method === 'HEAD') return payload
    try {
      hold(reply.raw, costOf(payload))
    } catch (error) {
      if (payload instanceof Readable) payload.destroy()
      void reply.removeHeader('etag').removeHeader('content-length')
      throw error
    }
    return payload
  })
}
