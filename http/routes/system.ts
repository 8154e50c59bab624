import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { documentSchema } from '../../domain/document-format/schema.ts'
import { Meta } from '../../queries/meta.ts'
import { findPosition } from '../../queries/position.ts'
import { DiskFull, Unavailable } from '../../storage/errors.ts'
import { answerText } from '../answers/cached-routes.ts'
import { ErrorBody, Starting } from '../errors.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { NoParameters } from '../requests/shared-parameters.ts'
import { readMeta } from '../server-facts.ts'
import type { Services } from '../services.ts'

const Health = z.object({ status: z.string() }).meta({ id: 'Health' })

const Readiness = Health.extend({
  problem: z.string().optional().meta({ description: 'Why nothing can be uploaded, although reads are served.' }),
}).meta({ id: 'Readiness' })

/**
 * Health, readiness, meta, metrics, the API document and the format of run documents. The function is long because it
 * lists every route.
 */
export const systemRoutes =
  (services: Services, metrics: Metrics): FastifyPluginAsyncZod =>
  async (app) => {
    const { reader, isReady, isDiskFull } = services
    const openConfig = { scope: null }
    const health = { tags: ['system'], querystring: NoParameters, response: { 200: Health } }
    const atRoot = {
      ...health,
      operationId: 'getRootHealth',
      summary: 'Whether the process answers, outside of the API',
    }
    app.get('/health', { config: openConfig, schema: atRoot }, async () => ({ status: 'ok' }))
    const inApi = { ...health, operationId: 'getHealth', summary: 'Whether the process answers' }
    app.get('/api/v1/health', { config: openConfig, schema: inApi }, async () => ({ status: 'ok' }))
    // Where monitors look by default. Without these routes, the web app would answer them with its page, whatever the state is.
    for (const path of ['/healthz', '/livez'])
      app.get(path, { config: openConfig, schema: { ...health, hide: true } }, async () => ({ status: 'ok' }))

    const ready = {
      tags: ['system'],
      operationId: 'getReadiness',
      summary: 'Whether the service can answer requests for stored data',
      querystring: NoParameters,
      response: { 200: Readiness, 503: ErrorBody },
    }
    const readiness = async () => {
      if (!isReady()) throw new Starting()
      await reader.read(findPosition).catch((cause: unknown) => {
        throw new Unavailable('the store does not answer', { cause })
      })
      // Reads still work, so the service stays ready.
      return isDiskFull?.() ? { status: 'ready', problem: new DiskFull().message } : { status: 'ready' }
    }
    app.get('/api/v1/ready', { config: openConfig, schema: ready }, readiness)
    for (const path of ['/readyz', '/ready'])
      app.get(path, { config: openConfig, schema: { ...ready, hide: true } }, readiness)

    app.get(
      '/api/v1/meta',
      {
        config: openConfig,
        schema: {
          tags: ['system'],
          operationId: 'getMeta',
          summary: 'Version, limits and features of the service',
          querystring: NoParameters,
          response: { 200: Meta },
        },
      },
      async () => readMeta(services),
    )

    app.get(
      '/metrics',
      { config: { scope: 'admin' }, schema: { hide: true, querystring: NoParameters } },
      async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
    )

    // The API document depends on the routes alone, which never change.
    const documentConfig = { scope: null, cached: { tags: () => [] } }
    app.get(
      '/api/v1/openapi.json',
      {
        config: documentConfig,
        schema: {
          tags: ['system'],
          operationId: 'getOpenApiDocument',
          summary: 'This document',
          querystring: NoParameters,
          response: { 200: z.unknown() },
        },
      },
      async (_request, reply) => answerText(reply, JSON.stringify(app.swagger())),
    )

    app.get(
      '/api/v1/schemas/run-document',
      {
        config: documentConfig,
        schema: {
          tags: ['system'],
          operationId: 'getRunDocumentSchema',
          summary: 'The format of run documents as JSON Schema',
          querystring: NoParameters,
          response: { 200: z.unknown() },
        },
      },
      async (_request, reply) => answerText(reply, JSON.stringify(documentSchema())),
    )
  }
