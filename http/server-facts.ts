import { RESULT_SCHEMA_VERSION, SUPPORTED_SCHEMA_VERSIONS } from '../domain/run/document.ts'
import { findAnyUser } from '../queries/access/users.ts'
import { findCacheStats, type CacheStats } from '../queries/cache/facets.ts'
import type { Meta } from '../queries/meta.ts'
import type { Services } from './services.ts'

// What the service says about itself, for several routes.

/** The name of the service on the wire. */
export const SERVICE_NAME = 'service'

export const readMeta = async ({ config, reader, localCache }: Services): Promise<Meta> => ({
  name: SERVICE_NAME,
  version: config.version,
  auth_mode: config.authMode,
  setup_required: !(await reader.read(findAnyUser)),
  supported_schema_versions: [...SUPPORTED_SCHEMA_VERSIONS],
  result_schema_version: RESULT_SCHEMA_VERSION,
  cache: config.cache,
  sso_providers: (config.sso?.providers ?? []).map(({ name, kind, label }) => ({
    name,
    kind,
    label,
    login_url: `/api/v1/auth/${kind}/${name}/start`,
  })),
  cache_tiers: [
    { id: 'server', label: 'Server', search: 'fts' },
    ...(localCache ? [{ id: 'local', label: 'Local disk', search: 'substring' }] : []),
  ],
  mcp_enabled: config.mcp !== null,
})

type WithCache = Pick<Services, 'sharedCache'>

/**
 * Writes collected lookups and last accesses, and indexes new entries, so that reads see them. If the store accepts no writes,
 * the error is ignored here, and reads do not see the latest of them. What runs in the background reports the error.
 */
export const settleCache = async ({ sharedCache }: WithCache): Promise<void> =>
  void (await Promise.allSettled([sharedCache.flush(), sharedCache.settle()]))

/**
 * The counts of the shared cache, up to this moment. Collected lookups are written first, because other replicas see
 * only counts that are in the store.
 */
export const readCacheStats = async ({ sharedCache }: WithCache): Promise<CacheStats> => {
  await settleCache({ sharedCache })
  const { found, hits, misses } = await sharedCache.withPendingCounts(() => findCacheStats(sharedCache.reader))
  return { ...found, hits: found.hits + hits, misses: found.misses + misses }
}
