import { z } from 'zod'
import { any, mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { CacheFacets, Facet } from './item.ts'
import { rfc3339 } from '../../domain/wire.ts'

const Value = z.object({ value: z.number() })
const Counted = z.object({ value: z.string(), count: z.number() })
const Totals = z.object({ name: z.string(), value: z.number() })

/** The number of entries with this value of a facet. If the value is null, the total whose name is `facet`. */
export const findFacet = (facet: string, value: string | null): Query<number> => {
  const row =
    value === null
      ? maybeOne(sql.type(Value)`SELECT value FROM cache_totals WHERE name = ${facet}`)
      : maybeOne(sql.type(Value)`SELECT entries AS value FROM cache_facets WHERE facet = ${facet} AND value = ${value}`)
  return mapped(row, (found) => found?.value ?? 0)
}

/** Maximum number of models in a response. Other facets are complete. */
const MAX_MODELS = 100

const listValues = (facet: string, limit: number | null): Query<Facet[]> =>
  any(sql.type(Counted)`
    SELECT value, entries AS count FROM cache_facets WHERE facet = ${facet}
    ORDER BY entries DESC, value ${limit === null ? sql.fragment`` : sql.fragment`LIMIT ${limit}`}`)

const findTotals: Query<ReadonlyMap<string, number>> = mapped(
  any(sql.type(Totals)`SELECT name, value FROM cache_totals`),
  (rows) => new Map(rows.map(({ name, value }) => [name, value])),
)

/** The filter values of the entries, with counts that each change of an entry updates. */
export const listCacheFacets = async (cache: Reader): Promise<CacheFacets> => {
  const { kinds, models, empty_reasons, totals } = await cache.readAll({
    kinds: listValues('kind', null),
    models: listValues('model', MAX_MODELS),
    empty_reasons: listValues('empty_reason', null),
    totals: findTotals,
  })
  return {
    kinds,
    models,
    empty_reasons,
    total: totals.get('entries') ?? 0,
    unindexed: totals.get('unindexed') ?? 0,
    unparseable: totals.get('unparseable') ?? 0,
  }
}

const count = z.number().int()

export const CacheStats = z
  .object({
    entries: count,
    total_bytes: count,
    hits: count,
    misses: count,
    unindexed: count,
    oldest_entry_at: z.string().nullable(),
  })
  .meta({ id: 'CacheStats' })
export type CacheStats = z.infer<typeof CacheStats>

const Oldest = z.object({ at: z.number().nullable() })

/** Sizes and lookups. `hits` and `misses` count GET requests only. */
export const findCacheStats = async (cache: Reader): Promise<CacheStats> => {
  const { totals, oldest } = await cache.readAll({
    totals: findTotals,
    oldest: maybeOne(sql.type(Oldest)`SELECT min(created_at) AS at FROM cache_entries`),
  })
  const at = oldest?.at ?? null
  return {
    entries: totals.get('entries') ?? 0,
    total_bytes: totals.get('bytes') ?? 0,
    hits: totals.get('hits') ?? 0,
    misses: totals.get('misses') ?? 0,
    unindexed: totals.get('unindexed') ?? 0,
    oldest_entry_at: at === null ? null : rfc3339(at),
  }
}
