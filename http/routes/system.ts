import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { documentSchema } from '../../domain/document-format/schema.ts'
import { RESULT_SCHEMA_VERSION, SUPPORTED_SCHEMA_VERSIONS } from '../../domain/run/document.ts'
import { findAnyUser } from '../../queries/access/users.ts'
import { Meta } from '../../queries/meta.ts'
import { findPosition } from '../../queries/position.ts'
import { Unavailable } from '../../storage/errors.ts'
import { answerText } from '../answers/cached-routes.ts'
import { ErrorBody, Starting } from '../errors.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { NoParameters } from '../requests/parameters.ts'
import type { Services } from '../services.ts'

const Health = z.object({ status: z.string() }).meta({ id: 'Health' })

/** Health, readiness, meta, metrics, the API document and the format of run documents. */
export const systemRoutes =
  ({ config, reader, isReady, localCache }: Services, metrics: Metrics): FastifyPluginAsyncZod =>
  async (app) => {
    const openConfig = { scope: null }
    const health = {
      config: openConfig,
      schema: { tags: ['system'], querystring: NoParameters, response: { 200: Health } },
    }
    app.get('/health', health, async () => ({ status: 'ok' }))
    app.get('/api/v1/health', health, async () => ({ status: 'ok' }))

    const ready = { tags: ['system'], querystring: NoParameters, response: { 200: Health, 503: ErrorBody } }
    app.get('/api/v1/ready', { config: openConfig, schema: ready }, async () => {
      if (!isReady()) throw new Starting()
      await reader.read(findPosition).catch((cause: unknown) => {
        throw new Unavailable('the store does not answer', { cause })
      })
      return { status: 'ready' }
    })

    app.get(
      '/api/v1/meta',
      { config: openConfig, schema: { tags: ['system'], querystring: NoParameters, response: { 200: Meta } } },
      async () => ({
        name: 'service',
        version: config.version,
        auth_mode: config.authMode,
        // Until accounts can be read, no client is asked to create the first one.
        setup_required: isReady() && !(await reader.read(findAnyUser)),
        supported_schema_versions: [...SUPPORTED_SCHEMA_VERSIONS],
        result_schema_version: RESULT_SCHEMA_VERSION,
        cache: config.cache,
        sso_providers: [],
        cache_tiers: [
          { id: 'server', label: 'Server', search: 'fts' },
          ...(localCache ? [{ id: 'local', label: 'Local disk', search: 'substring' }] : []),
        ],
        mcp_enabled: false,
      }),
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
        schema: { tags: ['system'], querystring: NoParameters, response: { 200: z.unknown() } },
      },
      async (_request, reply) => answerText(reply, JSON.stringify(app.swagger())),
    )

    app.get(
      '/api/v1/schemas/run-document',
      {
        config: documentConfig,
        schema: {
          tags: ['system'],
          summary: 'The format of run documents as JSON Schema',
          querystring: NoParameters,
          response: { 200: z.unknown() },
        },
      },
      async (_request, reply) => answerText(reply, JSON.stringify(documentSchema())),
    )
  }
