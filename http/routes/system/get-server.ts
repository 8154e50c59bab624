import { Refused } from '../../../commands/refused.ts'
import { rfc3339 } from '../../../domain/wire.ts'
import { countUnstored } from '../../../queries/evidence/unstored.ts'
import { countPendingMoves } from '../../../queries/runs/moves.ts'
import { Server, type StoreFacts } from '../../../queries/server.ts'
import type { CountedPartBytes } from '../../counted-part-bytes.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { LONG_READ } from '../../errors.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import type { Route } from '../route.ts'

export const getServerRoute =
  (partBytes: () => Promise<CountedPartBytes>): Route =>
  (app, { longReads, reader, config, storage, instance, now, schema: migrations, models, partStore: { bucket } }) => {
    const startedAt = now()
    const versions = models.map(({ name, version, readableFrom = 0 }) => ({ name, version, readableFrom }))
    app.get(
      '/server',
      {
        config: { scope: 'admin' },
        schema: {
          tags: ['system'],
          operationId: 'getServer',
          summary: 'This process, its store and its limits',
          response: { 200: Server, ...LONG_READ },
        },
      },
      async ({ viewer }, reply) => {
        checkSeesAll(viewer)
        const found = await longReads.storeFacts(viewer, { models: versions }, abortWhenClientLeaves(reply))
        // The account lost its role while the read was queued.
        if (!found) throw new Refused('forbidden', 'insufficient scope: this read is for admins')
        const facts = JSON.parse(Buffer.from(found.body).toString()) as StoreFacts
        const parts = await partBytes()
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
            schema: migrations,
          },
          object_store: bucket && {
            location: bucket.where,
            is_up: bucket.health.isUp(),
            objects_pending: (await reader.read(countUnstored)).deleting,
            documents_pending: (await reader.read(countPendingMoves)).n,
          },
          retention: {
            run_max_age_days: config.runMaxAgeDays,
            cache_max_age_days: config.cache.max_age_days,
            cache_max_bytes: config.cache.max_bytes,
            cache_max_entry_bytes: config.cache.max_entry_bytes,
            sweep_empty_reasons: [...config.sweepEmptyReasons],
          },
          ...facts,
          contents: { ...facts.contents, part_bytes: parts.bytes, part_bytes_counted_at: rfc3339(parts.at) },
        }
      },
    )
  }
