import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { promisify } from 'node:util'
import { gunzip, inflate, inflateRaw } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { Refused } from '../../commands/refused.ts'
import { completeOutput, isZlib, type Encoding } from '../../commands/run/inflate.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The schema of a body that the route reads itself. It is used only in the OpenAPI document. */
    document?: z.ZodType
    /** The type of a body of bytes that the route reads itself; only for the API's document. */
    bodyType?: string
  }
}

const JSON_TYPE = /^application\/(?:json|[\w.!#$&^-]+\+json)\s*(?:;|$)/i

/** Refuses: bad_request, unless the Content-Type is JSON. */
export const checkJsonType = (request: FastifyRequest): void => {
  const type = request.contentType
  if (type === undefined) throw new Refused('bad_request', 'Content-Type is missing: application/json is expected')
  if (!JSON_TYPE.test(type.trim()))
    throw new Refused('bad_request', `Content-Type ${JSON.stringify(type.slice(0, 80))} is not application/json`)
}

/** Returns the content encoding of the body. Refuses: unsupported_encoding (also for several encodings). */
export const encodingOf = ({ headers }: Pick<IncomingMessage, 'headers'>): Encoding => {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return null
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip'
  if (encoding === 'deflate') return 'deflate'
  throw new Refused(
    'unsupported_encoding',
    `Content-Encoding ${JSON.stringify(encoding.slice(0, 80))} is not supported: use gzip or deflate`,
  )
}

/**
 * Maximum size of the first buffer. If the announced length is smaller, the buffer has that length. A full buffer is
 * replaced by one of twice its size, so the memory depends on the received length, not on the announced one. Memory
 * pages that are not written to yet take no physical memory.
 */
const FIRST_BYTES = 1024 * 1024

/** Size of the first buffer of a body without an announced length. */
const UNANNOUNCED_BYTES = 64 * 1024

/**
 * Receives the whole raw body into a buffer of its own, or `into` one that is large enough, and calls `onLength` as it grows. Refuses: too_large
 * (the message names `statedMax`), bad_request (cut off).
 */
export const receive = async (
  raw: IncomingMessage,
  maxBytes: number,
  onLength: (length: number) => void = () => {},
  {
    statedMax = maxBytes,
    into = null,
  }: { readonly statedMax?: number; readonly into?: Uint8Array<ArrayBuffer> | null } = {},
): Promise<Uint8Array> => {
  const announced = Number(raw.headers['content-length'] ?? maxBytes)
  if (announced > maxBytes) throw tooLarge(statedMax)
  // The buffer has memory of its own, not a piece of Node's pool, because it is transferred to another thread. It is
  // filled as chunks arrive, because joining chunks of 64 MiB at the end would delay all other requests.
  let body =
    into ??
    new Uint8Array(raw.headers['content-length'] === undefined ? UNANNOUNCED_BYTES : Math.min(FIRST_BYTES, announced))
  let length = 0
  // A request that was injected in this process has the bytes of its caller.
  const isFromSocket = raw.socket instanceof Socket
  await eachChunk(raw, (chunk) => {
    const start = length
    length += chunk.length
    onLength(length)
    if (length > maxBytes) throw tooLarge(statedMax)
    if (length > body.length)
      body = grown(body, Math.min(Math.max(body.length * 2, length), Math.max(announced, length)))
    body.set(chunk, start)
    if (isFromSocket) release(chunk)
  })
  return body.subarray(0, length)
}

/**
 * Passes each chunk of a body to `take`, until the body ends or `take` throws. A body that is left halfway is not destroyed:
 * that would also close its connection and lose the answer. It has listeners, because an iterator of the stream takes longer
 * than a small body does. Refuses: bad_request (cut off).
 */
const eachChunk = (raw: IncomingMessage, take: (chunk: Buffer) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = (): void =>
      void raw.pause().off('data', onData).off('end', onEnd).off('error', onCutOff).off('close', onCutOff)
    const onData = (chunk: Buffer): void => {
      try {
        take(chunk)
      } catch (error) {
        leave()
        reject(error instanceof Error ? error : new Error(String(error)))
      }
    }
    const onEnd = (): void => {
      leave()
      resolve()
    }
    const onCutOff = (): void => {
      leave()
      reject(new Refused('bad_request', 'the request body was cut off'))
    }
    if (raw.destroyed) onCutOff()
    else raw.on('data', onData).on('end', onEnd).on('error', onCutOff).on('close', onCutOff)
  })

/**
 * Frees the memory of bytes that were copied or sent and that nothing else has. The next garbage collection would do it too, but
 * this thread makes little other garbage: with many uploads, 70 MB of chunks wait for it.
 */
export const release = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}

/** A larger copy. The memory of the smaller one is freed at once. */
const grown = ({ buffer }: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(buffer.transfer(size))

const tooLarge = (maxBytes: number): Refused =>
  new Refused('too_large', `the request body is larger than ${maxBytes} bytes`)

/** Decompresses the body, on another thread. Refuses: too_large (after decompression), bad_request. */
export const inflated = async (body: Uint8Array, encoding: Encoding, maxBytes: number): Promise<Uint8Array> => {
  if (encoding === null) return body
  try {
    const answer: unknown = await promisify(encoding === 'gzip' ? gunzip : isZlib(body) ? inflate : inflateRaw)(body, {
      maxOutputLength: maxBytes,
      info: true,
    })
    return completeOutput(answer, body)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
    throw new Refused('bad_request', `the body is not valid ${encoding} data`)
  }
}
