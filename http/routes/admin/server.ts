import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { rfc3339 } from '../../../domain/wire.ts'
import { StoreFacts } from '../../../queries/server.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { NoParameters } from '../../requests/parameters.ts'
import type { Services } from '../../services.ts'

const count = z.number().int()

/** This process and its store: what an admin needs to know, and no secret. */
const Server = z
  .object({
    version: z.string(),
    instance: z.string(),
    node_version: z.string(),
    started_at: z.string(),
    uptime_ms: count,
    memory_bytes: count,
    auth_mode: z.enum(['open', 'protect-writes', 'closed']),
    public_url: z.string().nullable(),
    storage: z.object({
      kind: z.enum(['sqlite', 'postgres']),
      location: z.string(),
      free_bytes: count.nullable(),
      schema: count,
    }),
    retention: z.object({
      run_max_age_days: z.number().nullable(),
      cache_max_age_days: count,
      cache_max_bytes: count,
      cache_max_entry_bytes: count,
      sweep_empty_reasons: z.array(z.string()),
    }),
    ...StoreFacts.shape,
  })
  .meta({ id: 'Server' })

/** Shows the state of the service. */
export const serverRoutes =
  ({ runLongRead, reader, config, storage, instance, now, whenReady }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const startedAt = now()
    const schema = {
      tags: ['system'],
      summary: 'This process, its store and its limits',
      querystring: NoParameters,
      response: { 200: Server, 403: ErrorBody, ...LONG_READ },
    }
    app.get('/server', { config: { scope: 'admin' }, schema }, async ({ viewer }, reply) => {
      checkSeesAll(viewer)
      const found = await runLongRead('storeFacts', viewer, {}, abortWhenClientLeaves(reply))
      // The account lost its role while the read was queued.
      if (!found) throw new Refused('forbidden', 'insufficient scope: this read is for admins')
      const facts = JSON.parse(Buffer.from(found.body).toString()) as z.infer<typeof StoreFacts>
      return {
        version: config.version,
        instance,
        node_version: process.version,
        started_at: rfc3339(startedAt),
        uptime_ms: Math.max(0, now() - startedAt),
        memory_bytes: process.memoryUsage.rss(),
        auth_mode: config.authMode,
        public_url: config.publicUrl,
        storage: {
          kind: reader.dialect,
          location: storage.location,
          free_bytes: await storage.freeBytes(),
          schema: (await whenReady).schema,
        },
        retention: {
          run_max_age_days: config.runMaxAgeDays,
          cache_max_age_days: config.cache.max_age_days,
          cache_max_bytes: config.cache.max_bytes,
          cache_max_entry_bytes: config.cache.max_entry_bytes,
          sweep_empty_reasons: [...config.sweepEmptyReasons],
        },
        ...facts,
      }
    })
  }
