import { CacheUnavailable } from './client.ts'
import type { CacheClient } from './client.ts'

export type LayeredCacheOptions = {
  readonly local: CacheClient
  readonly remote: CacheClient
  /** Called for the first fault that is ignored: of the remote cache, or of a local copy that could not be stored. */
  readonly onFault: (error: CacheUnavailable) => void
}

/**
 * A local cache in front of a shared one. It is read first, stores a copy of every shared hit, and receives every
 * write. A fault of the shared cache counts as a miss or as a skipped write; a fault of the local cache is thrown.
 */
export const layeredCacheClient = ({ local, remote, onFault }: LayeredCacheOptions): CacheClient => {
  let told = false
  const unlessFaulty = async <T>(work: Promise<T>): Promise<T | null> => {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof CacheUnavailable)) throw error
      if (!told) onFault(error)
      told = true
      return null
    }
  }

  return {
    get: async (key, signal) => {
      const kept = await local.get(key, signal)
      if (kept !== null) return kept
      const shared = await unlessFaulty(remote.get(key, signal))
      if (shared !== null) await unlessFaulty(local.put(key, shared, signal))
      return shared
    },
    put: async (key, bytes, signal) => {
      const [stored] = await Promise.all([local.put(key, bytes, signal), unlessFaulty(remote.put(key, bytes, signal))])
      return stored
    },
  }
}
