import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { Refused } from '../../commands/refused.ts'
import { MAX_BODY_BYTES } from '../../commands/run/inflate.ts'
import { RUNS } from '../../commands/tags.ts'
import { CACHE_KEY, isCacheKey } from '../../domain/cache/key.ts'
import { CacheStats } from '../../queries/cache/facets.ts'
import { CacheEviction, cacheEviction, findEntryEviction, recentFrom } from '../../queries/cache/eviction.ts'
import { CacheEntry, CacheFacets, CacheList } from '../../queries/cache/item.ts'
import type { LocalDirectory } from '../../queries/cache/local.ts'
import { CacheOverview } from '../../queries/cache/reuse.ts'
import type { CacheReuse } from '../../queries/cache/reuse.ts'
import { CacheRuns } from '../../queries/cache/runs.ts'
import type { LongReadAnswer } from '../../queries/long-reads.ts'
import { daysBefore, parseReasons, pruneCache, retentionLimits } from '../../runtime/cache/prune.ts'
import { BODY_HEADERS } from '../../runtime/cache/shared-cache.ts'
import type { Eviction } from '../../runtime/cache/prune.ts'
import { DiskFull, Unavailable } from '../../storage/errors.ts'
import { answerText } from '../answers/cached-routes.ts'
import { abortWhenClientLeaves } from '../answers/client-left.ts'
import { ErrorBody, LONG_READ, NO_CACHE_ENTRY, notFound } from '../errors.ts'
import { encodingOf, inflated, receive } from '../requests/body.ts'
import {
  CacheEntryQuery,
  CacheFacetsQuery,
  CacheListQuery,
  CachePruneQuery,
  CacheRunsQuery,
  limit,
  NoParameters,
} from '../requests/shared-parameters.ts'
import { byteBudget } from '../requests/byte-budget.ts'
import { readCacheStats, writeCacheAccesses } from '../server-facts.ts'
import type { Services } from '../services.ts'

/** Maximum bytes of all bodies that are being received or wait to be stored. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024

/** Maximum number of bytes that an encoding may add to a body that cannot be compressed. */
const ENCODING_BYTES = 64 * 1024

const KeyPath = z.object({
  key: z
    .string()
    .refine(isCacheKey, 'a cache key is sha256:<64 hex>, in lower case')
    .meta({ pattern: CACHE_KEY.source }),
})

const Pruned = z.object({ pruned: z.number().int() }).meta({ id: 'CachePruned' })

/** No body at all. `z.null()` would mean the text `null`, except for a 204. */
const NoBody = z.undefined()

/** Reads the query of a prune. Refuses: bad_request (negative). */
const evictionOf = (query: z.output<typeof CachePruneQuery>, config: Services['config'], now: number): Eviction => {
  // If any rule is given, even an empty one, the configured limits do not apply.
  if (Object.values(query).every((value) => value === undefined)) return retentionLimits(config.cache, now)
  const { older_than_days, newer_than_days, empty_reason, model, kind, target_bytes } = query
  for (const [name, value] of Object.entries({ older_than_days, newer_than_days, target_bytes })) {
    if (value !== undefined && value < 0) throw new Refused('bad_request', `${name} must not be negative`)
  }
  return {
    selection: {
      created_before: older_than_days === undefined ? null : daysBefore(now, older_than_days),
      created_from: newer_than_days === undefined ? null : daysBefore(now, newer_than_days),
      empty_reasons: empty_reason === undefined ? null : parseReasons(empty_reason),
      model: model ?? null,
      kind: kind ?? null,
    },
    target_bytes: target_bytes ?? null,
  }
}

/**
 * Stores, returns, lists and evicts entries of the shared cache. The function is long because it lists every route.
 */
export const cacheRoutes =
  (services: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const { sharedCache, localCache, commit, instance, longReads, config, logger, now } = services
    const tags = ['cache']
    const uploads = byteBudget(MAX_WAITING_BYTES)
    const maxBytes = Math.min(config.cache.max_entry_bytes, MAX_BODY_BYTES)
    const bytes = {
      description: 'The bytes as they were stored.',
      content: { 'application/octet-stream': { schema: z.unknown() } },
    }

    const local = (): LocalDirectory => {
      if (!localCache) throw notFound('local cache tier')
      return localCache
    }
    const writeWords = async (): Promise<void> => {
      try {
        await sharedCache.settle()
      } catch (error) {
        // If the store is full, new words cannot be indexed, but a search still finds entries that were indexed
        // earlier.
        if (!(error instanceof Unavailable)) throw error
      }
    }
    const send = (reply: FastifyReply, answer: LongReadAnswer | null): FastifyReply => {
      if (!answer) throw notFound(NO_CACHE_ENTRY)
      if (answer.etag !== null) void reply.header('etag', answer.etag)
      return reply.type('application/json').send(answer.body)
    }

    // Declared before the GET route. Otherwise Fastify would add a HEAD route for it, which would count as a lookup.
    const raw = {
      tags,
      operationId: 'getCacheBody',
      summary: 'The stored body of a provider response, byte for byte',
      params: KeyPath,
      querystring: NoParameters,
      response: { 200: bytes, 400: ErrorBody, 404: ErrorBody },
    }
    app.head(
      '/cache/:key',
      { config: { scope: 'read' }, schema: { ...raw, hide: true } },
      async ({ params: { key } }, reply) => {
        const size = await sharedCache.has(key)
        if (size === null) throw notFound(NO_CACHE_ENTRY)
        return reply.headers(BODY_HEADERS).header('content-length', size).send(Readable.from([]))
      },
    )
    app.get('/cache/:key', { config: { scope: 'read' }, schema: raw }, async ({ params: { key } }, reply) => {
      const found = await sharedCache.get(key)
      if (!found) throw notFound(NO_CACHE_ENTRY)
      return reply.headers(BODY_HEADERS).header('etag', found.etag).send(found.bytes)
    })

    const put = {
      tags,
      operationId: 'putCacheBody',
      summary: 'Store a body; the first under a key wins',
      params: KeyPath,
      querystring: NoParameters,
      response: { 200: NoBody, 201: NoBody, 400: ErrorBody, 413: ErrorBody, 503: ErrorBody },
    }
    app.put(
      '/cache/:key',
      { config: { scope: 'write', bodyType: 'application/octet-stream' }, schema: put },
      async (request, reply) => {
        const encoding = encodingOf(request)
        // The space that the store released is for deletions.
        if (services.isDiskFull?.()) throw new DiskFull()
        const reservation = uploads.enter()
        try {
          const received = await receive(
            request.raw,
            encoding === null ? maxBytes : maxBytes + ENCODING_BYTES,
            reservation.grow,
            maxBytes,
          )
          const body = await inflated(received, encoding, maxBytes)
          reservation.grow(body.length)
          const isFirst = await sharedCache.put(request.params.key, body)
          return await reply.code(isFirst ? 201 : 200).send()
        } finally {
          reservation.leave()
        }
      },
    )

    const stats = {
      tags,
      operationId: 'getCacheStats',
      summary: 'Entries, bytes and lookups of the cache',
      querystring: NoParameters,
      response: { 200: CacheStats },
    }
    app.get('/cache/stats', { config: { scope: 'read' }, schema: stats }, async () => readCacheStats(services))

    const prune = {
      tags,
      operationId: 'pruneCache',
      summary: 'Evict what all rules match; without any, what is beyond the configured limits',
      querystring: CachePruneQuery,
      response: { 200: Pruned, 400: ErrorBody },
    }
    app.post('/cache/prune', { config: { scope: 'admin' }, schema: prune }, async ({ viewer, query }) => ({
      pruned: await pruneCache(services, viewer, evictionOf(query, config, now()), 'request'),
    }))

    const preview = {
      tags,
      operationId: 'previewCachePrune',
      summary: 'What a prune with these rules would evict now; evicts nothing',
      querystring: CachePruneQuery,
      response: { 200: CacheEviction, 400: ErrorBody },
    }
    app.get('/cache/prune', { config: { scope: 'admin' }, schema: preview }, async ({ query }) =>
      cacheEviction(await sharedCache.preview(evictionOf(query, config, now()), recentFrom(now()))),
    )

    const previewEntry = {
      tags,
      operationId: 'previewCacheEviction',
      summary: 'What the deletion of this entry would remove',
      params: KeyPath,
      querystring: NoParameters,
      response: { 200: CacheEviction, 400: ErrorBody, 404: ErrorBody },
    }
    app.get(
      '/cache/entries/:key/eviction',
      { config: { scope: 'admin' }, schema: previewEntry },
      async ({ params: { key } }) => {
        await writeCacheAccesses(services)
        const found = await findEntryEviction(sharedCache.reader, key, now())
        if (!found) throw notFound(NO_CACHE_ENTRY)
        return found
      },
    )

    const reuse = {
      tags,
      operationId: 'getCacheOverview',
      summary: 'What the cache has, and how far the visible runs of the last days reused responses, a day at a time',
      querystring: z.strictObject({ days: limit(30, 366) }),
      response: { 200: CacheOverview, 400: ErrorBody, ...LONG_READ },
    }
    app.get(
      '/cache/overview',
      { config: { scope: 'read' }, schema: reuse },
      async ({ viewer, query: { days } }, reply) => {
        const read = await longReads.cacheReuse(viewer, { days, now: now() }, abortWhenClientLeaves(reply))
        // The account lost its access while the read was queued.
        if (!read) throw notFound('cache overview')
        const { max_age_days, max_bytes } = config.cache
        return {
          ...(JSON.parse(Buffer.from(read.body).toString()) as CacheReuse),
          cache: await readCacheStats(services),
          limits: { max_age_days, max_bytes },
          local: localCache !== null,
        }
      },
    )

    const remove = {
      tags,
      operationId: 'deleteCacheEntry',
      summary: 'Evict an entry of the cache',
      params: KeyPath,
      querystring: NoParameters,
      response: { 204: z.null(), 400: ErrorBody, 404: ErrorBody },
    }
    app.delete(
      '/cache/entries/:key',
      { config: { scope: 'admin' }, schema: remove },
      async ({ viewer, params: { key } }, reply) => {
        if (!(await sharedCache.remove(key))) throw notFound(NO_CACHE_ENTRY)
        logger.info({ actor: viewer.actor, request_id: viewer.request_id, key }, 'cache entry deleted')
        await commit.recordEntryDeletion(viewer, { instance, key })
        return reply.code(204).send(null)
      },
    )

    const list = {
      tags,
      operationId: 'listCacheEntries',
      summary: 'Entries of the cache',
      querystring: CacheListQuery,
      response: { 200: CacheList, 400: ErrorBody, 404: ErrorBody, ...LONG_READ },
    }
    app.get('/cache/entries', { config: { scope: 'admin' }, schema: list }, async ({ viewer, query }, reply) => {
      const { tier, sort = 'created', order = 'desc', limit, cursor, ...filters } = query
      if (tier === 'local') return send(reply, await local().list(filters, { sort, order }, { limit, cursor }))
      await writeCacheAccesses(services)
      if (filters.q !== undefined) await writeWords()
      return send(
        reply,
        await longReads.cacheEntries(
          viewer,
          { filters, order: { sort, order }, limit, cursor },
          abortWhenClientLeaves(reply),
        ),
      )
    })

    const entry = {
      tags,
      operationId: 'getCacheEntry',
      summary: 'An entry of the cache, with its request and response',
      params: KeyPath,
      querystring: CacheEntryQuery,
      response: { 200: CacheEntry, 400: ErrorBody, 404: ErrorBody, ...LONG_READ },
    }
    app.get(
      '/cache/entries/:key',
      { config: { scope: 'read' }, schema: entry },
      async ({ viewer, params: { key }, query }, reply) => {
        const withRaw = query.raw === true
        if (query.tier === 'local') return send(reply, await local().find(key, withRaw))
        await writeCacheAccesses(services)
        return send(reply, await longReads.cacheEntry(viewer, { key, raw: withRaw }, abortWhenClientLeaves(reply)))
      },
    )

    const runs = {
      tags,
      operationId: 'listRunsOfCacheEntry',
      summary: 'Runs with cases that used an entry of the cache',
      params: KeyPath,
      querystring: CacheRunsQuery,
      response: { 200: CacheRuns, 400: ErrorBody, ...LONG_READ },
    }
    app.get(
      '/cache/entries/:key/runs',
      { config: { scope: 'read', cached: { tags: () => [RUNS] } }, schema: runs },
      async ({ viewer, params: { key }, query, clientLeft }, reply) => {
        const answer = await longReads.cacheRuns(viewer, { key, ...query }, clientLeft)
        return answerText(reply, answer ?? '{"cases":[],"next_cursor":null}')
      },
    )

    const facets = {
      tags,
      operationId: 'listCacheFacets',
      summary: 'Values by which entries of the cache can be filtered',
      querystring: CacheFacetsQuery,
      response: { 200: CacheFacets, 400: ErrorBody, 404: ErrorBody, ...LONG_READ },
    }
    app.get(
      '/cache/facets',
      { config: { scope: 'admin' }, schema: facets },
      async ({ viewer, query: { tier } }, reply) => {
        if (tier === 'local') return send(reply, await local().facets())
        return send(reply, await longReads.cacheFacets(viewer, {}, abortWhenClientLeaves(reply)))
      },
    )
  }
