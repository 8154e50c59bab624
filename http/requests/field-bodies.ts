import type { FastifyInstance, FastifyRequest } from 'fastify'
import { messageOf } from '../../domain/plain/message-of.ts'
import { Refused } from '../../commands/refused.ts'
import { isDeeperThan } from '../../domain/cache/json-bounds.ts'
import { checkQuery } from '../answer-error.ts'
import { checkJsonType, encodingOf, inflated, receive } from './body.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `fields`: a small JSON body, parsed and checked against the schema. Without it a body is not read. */
    body?: 'fields'
    /** The maximum size of that body. The default is that of `receiveFields`. */
    bodyBytes?: number
  }
  interface FastifyRequest {
    contentType: string | undefined
  }
}

/**
 * Maximum size of a JSON body with a few fields, unless the route gives another. It is parsed on the main thread, so it
 * must be short.
 */
const MAX_FIELDS_BYTES = 64 * 1024

/** Maximum depth of nested objects and arrays in such a body. */
const MAX_FIELDS_DEPTH = 32

/**
 * Receives and parses a body of a few fields, of at most `maxBytes` after decompression. Refuses: bad_request, too_large,
 * unsupported_encoding, unprocessable (too deep).
 */
const receiveFields = async (request: FastifyRequest, maxBytes = MAX_FIELDS_BYTES): Promise<unknown> => {
  checkJsonType(request)
  const encoding = encodingOf(request)
  const body = await inflated(await receive(request.raw, maxBytes), encoding, maxBytes)
  // Checked before the parser runs, because the parser recurses for each level.
  if (isDeeperThan(body, MAX_FIELDS_DEPTH))
    throw new Refused('unprocessable', `the request body is nested deeper than ${MAX_FIELDS_DEPTH} levels`)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch (error) {
    throw new Refused('bad_request', `invalid JSON body: ${messageWithoutBody(error)}`)
  }
}

/** Returns the parser's message without the piece of the body that it quotes, which may be a password. */
const messageWithoutBody = (error: unknown): string =>
  messageOf(error).replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, '')

/** Parses the bodies of routes with `body: 'fields'`. Other routes read theirs themselves, or not at all. */
export const readFieldBodies = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
  app.decorateRequest('contentType')
  app.addHook('onRequest', async (request) => {
    // The header is hidden from Fastify. Otherwise Fastify would reject a malformed type with 415, even on a route that
    // reads no body.
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
