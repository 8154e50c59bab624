import { join } from 'node:path'
import type { Store } from '../storage/open/reader.ts'
import { takeStateDirectory } from '../storage/sqlite/instance-lock.ts'
import { openInThreads } from './in-threads.ts'
import type { OpenOptions, OpenService } from './services.ts'

/**
 * Opens the given database; without one, takes the state directory and opens the store in it. Throws
 * `StateDirectoryTaken`. Also throws if this build cannot read the store.
 */
export const openService = async (options: OpenOptions): Promise<OpenService> => {
  const { dataDir, database, bucket } = options
  const open = async (store: Store): Promise<OpenService> => {
    if (options.threads) return openInThreads(store, options)
    // Imported on demand: with threads, all the code that writes is loaded by the writer thread only.
    const { openInProcess } = await import('./in-process.ts')
    return openInProcess(store, options)
  }
  if (database) return open({ ...database, bucket: bucket ?? database.bucket })
  if (dataDir === undefined) throw new Error('a state directory or a database is needed')
  const release = takeStateDirectory(dataDir, options.now ?? Date.now)
  try {
    const service = await open({ kind: 'sqlite', file: join(dataDir, 'service.db'), bucket })
    return {
      ...service,
      close: async () => {
        try {
          await service.close()
        } finally {
          release()
        }
      },
    }
  } catch (error) {
    release()
    throw error
  }
}
