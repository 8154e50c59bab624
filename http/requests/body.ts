import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate, inflateRaw } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { Refused } from '../../commands/refused.ts'
import { isZlib, wholly } from '../../commands/run/inflate.ts'
import type { Encoding } from '../../commands/run/inflate.ts'
import { isDeeperThan } from '../../domain/cache/json-bounds.ts'
import { Unavailable } from '../../storage/errors.ts'
import { checkQuery } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `fields`: a small JSON body, parsed and checked against the schema. Without it a body is not read. */
    body?: 'fields'
    /** The maximum size of that body; the limit of `receiveFields` unless given. */
    bodyBytes?: number
    /** The schema of a body that the route reads itself, for the API's document alone. */
    document?: z.ZodType
  }
  interface FastifyRequest {
    contentType: string | undefined
  }
}

/**
 * The largest JSON body of a route that takes a few fields and names no bound of its own: parsed on the main thread, so
 * it must stay short.
 */
const MAX_FIELDS_BYTES = 64 * 1024

/** How deep objects and arrays may be nested in such a body. */
const MAX_FIELDS_DEPTH = 32

const JSON_TYPE = /^application\/(?:json|[\w.!#$&^-]+\+json)\s*(?:;|$)/i

/** Refuses: bad_request unless the body says that it is JSON. */
export const checkJsonType = (request: FastifyRequest): void => {
  const type = request.contentType
  if (type === undefined) throw new Refused('bad_request', 'Content-Type is missing: application/json is expected')
  if (!JSON_TYPE.test(type.trim()))
    throw new Refused('bad_request', `Content-Type ${JSON.stringify(type.slice(0, 80))} is not application/json`)
}

/** The one content encoding of the body. Refuses: unsupported_encoding for any other, stacked ones included. */
export const encodingOf = (request: FastifyRequest): Encoding => {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return null
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip'
  if (encoding === 'deflate') return 'deflate'
  throw new Refused(
    'unsupported_encoding',
    `Content-Encoding ${JSON.stringify(encoding.slice(0, 80))} is not supported: use gzip or deflate`,
  )
}

/**
 * The most a body gets at first: its announced length where that is less. Twice as much whenever it is full, so that
 * memory follows what came and not what was announced; of what is not written to yet, no page is resident.
 */
const FIRST_BYTES = 1024 * 1024

/** What a body gets at first that tells no length. */
const UNTOLD_BYTES = 64 * 1024

/**
 * Receives the raw body, whole, into one buffer of its own; `onLength` is told as it grows. Refuses: too_large (naming
 * the limit to be told), bad_request (cut off).
 */
export const receive = async (
  raw: IncomingMessage,
  most: number,
  onLength: (length: number) => void = () => {},
  told = most,
): Promise<Uint8Array> => {
  const announced = Number(raw.headers['content-length'] ?? most)
  if (announced > most) throw tooLarge(told)
  // Its own memory, not a piece of Node's pool: the buffer is handed to another thread. Filled as it comes, since to
  // join 64 MiB at the end would hold up everyone else.
  let body = new Uint8Array(
    raw.headers['content-length'] === undefined ? UNTOLD_BYTES : Math.min(FIRST_BYTES, announced),
  )
  let length = 0
  try {
    // A body that is refused halfway must not be destroyed: its connection would go too, and with it the answer.
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const from = length
      length += chunk.length
      onLength(length)
      if (length > most) throw tooLarge(told)
      if (length > body.length)
        body = grown(body, from, Math.min(Math.max(body.length * 2, length), Math.max(announced, length)))
      body.set(chunk, from)
    }
  } catch (error) {
    if (error instanceof Refused || error instanceof Unavailable) throw error
    throw new Refused('bad_request', 'the request body was cut off')
  }
  return body.subarray(0, length)
}

const grown = (body: Uint8Array, used: number, size: number): Uint8Array<ArrayBuffer> => {
  const larger = new Uint8Array(size)
  larger.set(body.subarray(0, used))
  return larger
}

const tooLarge = (most: number): Refused => new Refused('too_large', `the request body is larger than ${most} bytes`)

/**
 * Receives and parses a body of a few fields, of at most `most` bytes after decompression. Refuses: bad_request,
 * too_large, unsupported_encoding, unprocessable (too deep).
 */
export const receiveFields = async (request: FastifyRequest, most = MAX_FIELDS_BYTES): Promise<unknown> => {
  checkJsonType(request)
  const encoding = encodingOf(request)
  const body = await inflated(await receive(request.raw, most), encoding, most)
  // Before the parser, which recurses.
  if (isDeeperThan(body, MAX_FIELDS_DEPTH))
    throw new Refused('unprocessable', `the request body is nested deeper than ${MAX_FIELDS_DEPTH} levels`)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch (error) {
    throw new Refused('bad_request', `invalid JSON body: ${unquoted(error)}`)
  }
}

/** What is wrong, without the piece of the body that the parser quotes: it may be a password. */
const unquoted = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(
    /, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s,
    '',
  )

/** The body without its encoding, off this thread. Refuses: too_large (what comes out of it), bad_request. */
export const inflated = async (body: Uint8Array, encoding: Encoding, most: number): Promise<Uint8Array> => {
  if (encoding === null) return body
  try {
    const answer: unknown = await promisify(encoding === 'gzip' ? gunzip : isZlib(body) ? inflate : inflateRaw)(body, {
      maxOutputLength: most,
      info: true,
    })
    return wholly(answer, body)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(most)
    throw new Refused('bad_request', `the body is not valid ${encoding} data`)
  }
}

/** Leaves bodies to the routes that take one: those with `body: 'fields'` get it parsed, others read it themselves. */
export const readFieldBodies = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
  app.decorateRequest('contentType')
  app.addHook('onRequest', async (request) => {
    // Hidden from Fastify, which would reject a malformed type with 415 even where no body is read.
    request.contentType = request.headers['content-type']
    delete request.raw.headers['content-type']
  })
  app.addHook('preValidation', async (request) => {
    const { body, bodyBytes } = request.routeOptions.config
    if (body !== 'fields') return
    // Fastify validates the body before the query. Here a body is read only if the query is valid.
    checkQuery(request)
    request.body = await receiveFields(request, bodyBytes)
  })
}
