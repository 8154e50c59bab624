import { CacheUnavailable } from './client.ts'
import type { CacheClient } from './client.ts'

export type LayeredCacheOptions = {
  readonly local: CacheClient
  readonly remote: CacheClient
  /** Called for the first ignored fault: the remote cache fails, or a copy of its hit cannot be stored locally. */
  readonly onFault: (error: CacheUnavailable) => void
}

/** So many faults in a row mean that the shared cache is down. */
const MAX_FAULTS_IN_A_ROW = 5

/**
 * A local cache in front of a shared one. It is read first, stores a copy of every shared hit, and receives every
 * write. A fault of the shared cache counts as a miss or as a skipped write; after several in a row it is not asked any
 * more, because each may have taken its whole time limit. A fault of the local cache is thrown.
 */
export const layeredCacheClient = ({ local, remote, onFault }: LayeredCacheOptions): CacheClient => {
  let hasReported = false
  /** Returns null for a fault. */
  const ignoreFaults = async <T>(work: Promise<T>, onIgnored?: () => void): Promise<T | null> => {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof CacheUnavailable)) throw error
      if (!hasReported) onFault(error)
      hasReported = true
      onIgnored?.()
      return null
    }
  }
  // Reads and writes are counted apart: a token that may only read fails at every write.
  const untilDown = (): (<T>(ask: () => Promise<T>) => Promise<T | null>) => {
    let faultsInARow = 0
    return async (ask) => {
      if (faultsInARow >= MAX_FAULTS_IN_A_ROW) return null
      const answered = async () => {
        const answer = await ask()
        faultsInARow = 0
        return answer
      }
      return ignoreFaults(answered(), () => faultsInARow++)
    }
  }
  const [read, write] = [untilDown(), untilDown()]

  return {
    ...(local.fileOf && { fileOf: local.fileOf }),
    get: async (key, signal) => {
      const localBytes = await local.get(key, signal)
      if (localBytes !== null) return localBytes
      const remoteBytes = await read(() => remote.get(key, signal))
      if (remoteBytes !== null) await ignoreFaults(local.put(key, remoteBytes, signal))
      return remoteBytes
    },
    put: async (key, bytes, signal) => {
      const [stored] = await Promise.all([local.put(key, bytes, signal), write(() => remote.put(key, bytes, signal))])
      return stored
    },
  }
}
