import { CacheUnavailable, type CacheClient } from './client.ts'
import { assertEntry, entryProblem } from './entry.ts'

export type LayeredCacheOptions = {
  readonly local: CacheClient
  readonly remote: CacheClient
  /** Called for the first ignored fault: the remote cache fails, or a copy of its hit cannot be stored locally. */
  readonly onFault: (error: CacheUnavailable) => void
  /** Called when the remote cache is asked no more, once for reads and once for writes. */
  readonly onEnd: (use: 'read' | 'written') => void
}

/** So many faults in a row mean that the shared cache is down. */
export const MAX_FAULTS_IN_A_ROW = 5

/**
 * A local cache in front of a shared one. It is read first, stores a copy of every shared hit, and receives every
 * write. A fault of the shared cache counts as a miss or as a skipped write; after several in a row it is not asked any
 * more, because each may have taken its whole time limit. An answer that is no entry, such as the page of a portal, is a
 * fault too. A fault of the local cache is thrown.
 */
export const layeredCacheClient = ({ local, remote, onFault, onEnd }: LayeredCacheOptions): CacheClient => {
  let hasReported = false
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
  const untilDown = (use: 'read' | 'written'): (<T>(ask: () => Promise<T>) => Promise<T | null>) => {
    let faultsInARow = 0
    let counted = 0
    return async (ask) => {
      if (faultsInARow >= MAX_FAULTS_IN_A_ROW) return null
      const countedBefore = counted
      const answered = async () => {
        const answer = await ask()
        if (faultsInARow < MAX_FAULTS_IN_A_ROW) faultsInARow = 0
        return answer
      }
      return ignoreFaults(answered(), () => {
        // Of calls that were under way together, the first fault counts for all: they fail for one reason.
        if (counted !== countedBefore) return
        counted++
        if (++faultsInARow === MAX_FAULTS_IN_A_ROW) onEnd(use)
      })
    }
  }
  const [read, write] = [untilDown('read'), untilDown('written')]

  return {
    ...(local.fileOf && { fileOf: local.fileOf }),
    get: async (key, signal) => {
      const localBytes = await local.get(key, signal)
      if (localBytes !== null) return localBytes
      const remoteBytes = await read(async () => requireEntry(await remote.get(key, signal)))
      if (remoteBytes !== null) await ignoreFaults(local.put(key, remoteBytes, signal))
      return remoteBytes
    },
    put: async (key, bytes, signal) => {
      const [stored] = await Promise.all([local.put(key, bytes, signal), write(() => remote.put(key, bytes, signal))])
      return stored
    },
  }
}

/** A copy of anything else would stay in the local cache and fail at every read. */
const requireEntry = (bytes: Uint8Array | null): Uint8Array | null => {
  if (bytes === null) return null
  try {
    assertEntry(bytes)
    return bytes
  } catch (error) {
    throw new CacheUnavailable(`the shared cache answers with what is no entry: ${entryProblem(error)}`, {
      cause: error,
    })
  }
}
