import type { PartsFolder } from '../evidence/parts-folder.ts'
import { CacheUnavailable, type CacheClient } from './client.ts'
import type { CallCache } from './call-cache.ts'
import {
  gradingEntry,
  entryProblem,
  readGradingEntry,
  readResponseEntry,
  responseEntry,
  type EntryStamp,
} from './entry.ts'

export type CallCacheOptions = {
  readonly client: CacheClient
  /** The wall clock: milliseconds since 1970. */
  readonly now: () => number
  /** The version of the engine, which entries record. */
  readonly version: string
  /** Has the bytes of what answers have apart from JSON. */
  readonly parts: PartsFolder
}

/** Stores entries of calls in a cache, whatever its location. */
export const createCallCache = ({ client, now, version, parts }: CallCacheOptions): CallCache => {
  const stamp = (): EntryStamp => ({ created_at: new Date(now()).toISOString(), service_version: version })

  const read = async <T>(key: string, signal: AbortSignal, parse: (bytes: Uint8Array) => T): Promise<T | null> => {
    const bytes = await client.get(key, signal)
    if (bytes === null) return null
    try {
      return parse(bytes)
    } catch (error) {
      const file = client.fileOf?.(key)
      throw new CacheUnavailable(
        `the cache entry ${key} is damaged: ${entryProblem(error)}${file === undefined ? '' : `; delete the file ${file}, or the whole local cache with \`ers cache clear\``}`,
        { cause: error },
      )
    }
  }

  return {
    readResponse: (key, signal) => read(key, signal, (bytes) => readResponseEntry(bytes, parts)),
    writeResponse: async (key, request, response, signal) => {
      await client.put(key, responseEntry(request, response, stamp(), parts), signal)
    },
    readGrading: (key, signal) => read(key, signal, readGradingEntry),
    writeGrading: async (key, request, grading, signal) => {
      await client.put(key, gradingEntry(request, grading, stamp()), signal)
    },
  }
}
