import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { abortWhenClientLeaves } from '../answers/client-left.ts'
import { RetentionQuery } from '../requests/shared-parameters.ts'
import type { Services } from '../services.ts'

const count = z.number().int()

const Retention = z.object({ dry_run: z.boolean(), runs: count, cache_entries: count }).meta({ id: 'Retention' })

/** Runs retention now rather than with the next hourly pass, or only counts what it would delete. */
export const retentionRoutes =
  ({ retain, logger }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const schema = {
      tags: ['system'],
      operationId: 'applyRetention',
      summary: 'Delete what exceeds the configured limits now, even if the clock is in doubt, or count it (dry_run)',
      querystring: RetentionQuery,
      response: { 200: Retention },
    }
    app.post(
      '/retention',
      { config: { scope: 'admin' }, schema },
      async ({ viewer, query: { dry_run = false } }, reply) => {
        const retained = await retain(viewer, { dry_run, signal: abortWhenClientLeaves(reply) })
        logger.info({ actor: viewer.actor, request_id: viewer.request_id, dry_run, ...retained }, 'retention at once')
        return { dry_run, ...retained }
      },
    )
  }
