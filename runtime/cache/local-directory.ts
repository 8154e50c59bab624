import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { LocalDirectory } from '../../queries/cache/local.ts'
import { callsTo, type Remote } from '../threads/calls.ts'
import type { DirectoryThreadData } from '../threads/directory-thread.ts'
import { threadFile } from '../threads/thread-file.ts'

type LocalDirectoryConfig = {
  readonly localCacheDir: string | null
  readonly localCacheMaxScan: number
  readonly cache: { readonly max_entry_bytes: number }
}

/**
 * Opens the configured local directory of entries. Returns null if none is configured, or if it cannot be resolved; the
 * second case is logged.
 */
export const openLocalDirectory = async (
  { localCacheDir, localCacheMaxScan, cache }: LocalDirectoryConfig,
  logger: Pick<Logger, 'warn'>,
): Promise<LocalDirectory | null> => {
  if (localCacheDir === null) return null
  try {
    return await directoryInThread({
      directory: localCacheDir,
      maxFiles: localCacheMaxScan,
      maxBytes: cache.max_entry_bytes,
    })
  } catch (error) {
    logger.warn(
      { directory: localCacheDir, error: String(error) },
      'the local cache directory cannot be resolved; it is not shown',
    )
    return null
  }
}

const directoryInThread = async (data: DirectoryThreadData): Promise<LocalDirectory> => {
  let running: Promise<Remote<LocalDirectory>> | null = null
  const start = async (): Promise<Remote<LocalDirectory>> => {
    const ready = Promise.withResolvers<void>()
    const worker = new Worker(threadFile('directory'), { workerData: data })
    const { calls } = callsTo<LocalDirectory>(worker, {
      onMessage: () => ready.resolve(),
      // The next read starts another thread.
      onExit: (error, code) => {
        running = null
        ready.reject(error ?? new Error(`the thread of the local tier ended with code ${code}`))
      },
    })
    await ready.promise
    // The thread only reads, so the process may exit without waiting for it.
    worker.unref()
    return calls
  }
  const directory = (): Promise<Remote<LocalDirectory>> => (running ??= start())
  await directory()
  return {
    list: async (...args) => (await directory()).list(...args),
    facets: async () => (await directory()).facets(),
    find: async (...args) => (await directory()).find(...args),
  }
}
