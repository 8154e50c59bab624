import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { MAX_BODY_BYTES } from '../commands/run/inflate.ts'
import { Matrix, findMatrix } from '../queries/matrix.ts'
import { RunComparison } from '../queries/compare.ts'
import { findConfig, RunConfig } from '../queries/config.ts'
import { exportDocument } from '../queries/documents.ts'
import { findRun, findRunDetail, listRuns, RunDetail, RunList } from '../queries/runs.ts'
import { admission } from './admission.ts'
import { checkJsonType, encodingOf, receive } from './body.ts'
import { ErrorBody, notFound } from './errors.ts'
import { MatrixQuery, NoParameters, RunListQuery } from './parameters.ts'
import type { Services } from './services.ts'

/** Bytes of uploads that may be received or wait at once. */
const MOST_WAITING_BYTES = 256 * 1024 * 1024

const RunPath = z.object({ id: z.string() })
const Ingested = z.object({ id: z.string(), url: z.string() }).meta({ id: 'Ingested' })
const Clash = ErrorBody.extend({ id: z.string().optional() }).meta({ id: 'Clash' })

/** The answer is JSON text already. */
export const sendText = (reply: FastifyReply, text: string | Uint8Array): FastifyReply => reply.type('application/json').send(text)

/** Uploading, listing, reading, comparing and deleting runs. */
export const runRoutes =
  ({ reader, commit, job, config }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['runs']
    const uploads = admission(MOST_WAITING_BYTES)
    const read = { scope: 'read' } as const

    const ingest = {
      tags,
      summary: 'Upload a run document',
      querystring: NoParameters,
      response: { 200: Ingested, 201: Ingested, 400: ErrorBody, 403: ErrorBody, 409: Clash, 413: ErrorBody, 422: ErrorBody, 503: ErrorBody },
    }
    app.post('/runs', { config: { scope: 'write' }, schema: ingest }, async (request, reply) => {
      checkJsonType(request)
      const encoding = encodingOf(request)
      const place = uploads.enter(Math.min(Number(request.headers['content-length'] ?? 0), MAX_BODY_BYTES))
      const { id, created } = await receive(request.raw, MAX_BODY_BYTES, place.grow)
        .then((body) => commit('ingestRun', request.viewer, { body, encoding }))
        .finally(place.leave)
      return reply.code(created ? 201 : 200).send({ id, url: `${baseUrl(request, config.publicUrl)}/runs/${pathPart(id)}` })
    })

    app.get('/runs', { config: read, schema: { tags, summary: 'List runs, newest first', querystring: RunListQuery, response: { 200: RunList, 400: ErrorBody } } }, async ({ viewer, query }) => {
      const { limit, cursor, ...filters } = query
      return listRuns(reader, viewer, filters, { limit, cursor })
    })

    const one = (response: z.ZodType) => ({ tags, params: RunPath, querystring: NoParameters, response: { 200: response, 404: ErrorBody } })

    app.get('/runs/:id', { config: read, schema: one(RunDetail) }, async ({ viewer, params }) => {
      const run = await reader.read(findRunDetail(viewer, params.id))
      if (!run) throw notFound('run')
      return run
    })

    app.delete('/runs/:id', { config: { scope: 'admin' }, schema: { ...one(z.null()), response: { 204: z.null(), 404: ErrorBody } } }, async ({ viewer, params }, reply) => {
      await commit('deleteRun', viewer, { run_id: params.id })
      return reply.code(204).send(null)
    })

    app.get('/runs/:id/export', { config: read, schema: { ...one(z.unknown()), summary: 'The uploaded document, byte for byte' } }, async ({ viewer, params }, reply) => {
      const run = await reader.read(findRun(viewer, params.id))
      if (!run) throw notFound('run')
      return reply
        .type('application/json')
        .header('content-length', run.document_bytes)
        .header('etag', `"${run.document_sha256}"`)
        .send(Readable.from(exportDocument(reader, run), { objectMode: false, highWaterMark: 512 * 1024 }))
    })

    app.get('/runs/:id/config', { config: read, schema: one(RunConfig) }, async ({ viewer, params }, reply) => {
      const text = await findConfig(reader, viewer, params.id)
      if (text === null) throw notFound('run')
      return sendText(reply, text)
    })

    app.get('/runs/:id/matrix', { config: read, schema: { ...one(Matrix), querystring: MatrixQuery } }, async ({ viewer, params, query }, reply) => {
      const text = await findMatrix(reader, viewer, params.id, query)
      if (text === null) throw notFound('run')
      return sendText(reply, text)
    })

    const pair = { ...one(RunComparison), params: RunPath.extend({ other: z.string() }) }
    app.get('/runs/:id/compare/:other', { config: read, schema: pair }, async ({ viewer, params }, reply) => {
      const text = await job('compare', viewer, { base: params.id, head: params.other })
      if (text === null) throw notFound('run')
      return sendText(reply, text)
    })
  }

/** Where a browser reaches this server: the public URL, else what the request says of itself. */
const baseUrl = (request: FastifyRequest, publicUrl: string | null): string => {
  if (publicUrl !== null) return publicUrl
  const proto = [request.headers['x-forwarded-proto']].flat()[0] ?? 'http'
  return `${proto}://${request.headers.host ?? 'localhost'}`
}

/** Escapes what a path part cannot hold and nothing else (RFC 3986, pchar): ids with colons stay readable. */
const pathPart = (id: string): string => encodeURIComponent(id).replace(/%(?:3A|40|24|26|2B|2C|3B|3D)/g, decodeURIComponent)
