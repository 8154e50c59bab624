import { CacheUnavailable } from './client.ts'
import type { CacheClient } from './client.ts'

export type LayeredCacheOptions = {
  readonly local: CacheClient
  readonly remote: CacheClient
  /** Told of the first fault that was passed over: of the remote cache, or of a copy that could not be kept. */
  readonly onFault: (error: CacheUnavailable) => void
}

/**
 * A local cache before a shared one: asked first, kept a copy of what the other has, and given every write. A fault of
 * the shared one counts as a miss or as a write not made; one of the local cache is thrown.
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
