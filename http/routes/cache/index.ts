import type { StoreCacheBody } from '../../requests/cache-bodies.ts'
import type { Route } from '../route.ts'
import { deleteCacheEntryRoute } from './delete-cache-entry.ts'
import { getCacheBodyRoute } from './get-cache-body.ts'
import { getCacheEntryRoute } from './get-cache-entry.ts'
import { getCacheOverviewRoute } from './get-cache-overview.ts'
import { getCacheStatsRoute } from './get-cache-stats.ts'
import { listCacheEntriesRoute } from './list-cache-entries.ts'
import { listCacheFacetsRoute } from './list-cache-facets.ts'
import { listRunsOfCacheEntryRoute } from './list-runs-of-cache-entry.ts'
import { previewCacheEvictionRoute } from './preview-cache-eviction.ts'
import { previewCachePruneRoute } from './preview-cache-prune.ts'
import { pruneCacheRoute } from './prune-cache.ts'
import { putCacheBodyRoute } from './put-cache-body.ts'

/** Routes of the shared cache, in the order of the API's document. */
export const cacheRoutes = (store: StoreCacheBody): readonly Route[] => [
  getCacheBodyRoute,
  putCacheBodyRoute(store),
  getCacheStatsRoute,
  pruneCacheRoute,
  previewCachePruneRoute,
  previewCacheEvictionRoute,
  getCacheOverviewRoute,
  deleteCacheEntryRoute,
  listCacheEntriesRoute,
  getCacheEntryRoute,
  listRunsOfCacheEntryRoute,
  listCacheFacetsRoute,
]
