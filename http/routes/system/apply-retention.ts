import { z } from 'zod'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { flag } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

const count = z.number().int()

const Retention = z.object({ dry_run: z.boolean(), runs: count, cache_entries: count }).meta({ id: 'Retention' })

export const applyRetentionRoute: Route = (app, { retain, logger }) =>
  app.post(
    '/retention',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['system'],
        operationId: 'applyRetention',
        summary: 'Delete what exceeds the configured limits now, even if the clock is in doubt, or count it (dry_run)',
        querystring: z.strictObject({ dry_run: flag }),
        response: { 200: Retention },
      },
    },
    async ({ viewer, query: { dry_run = false } }, reply) => {
      const retained = await retain(viewer, { dry_run, signal: abortWhenClientLeaves(reply) })
      logger.info({ actor: viewer.actor, request_id: viewer.request_id, dry_run, ...retained }, 'retention at once')
      return { dry_run, ...retained }
    },
  )
