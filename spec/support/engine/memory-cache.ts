import { CacheUnavailable, type CacheClient } from '../../../engine/cache/client.ts'

/** A cache in memory, which can be made to fail. It counts what is asked of it. */
export const memoryCache = () => {
  const entries = new Map<string, Uint8Array>()
  const state = { failReads: false, failWrites: false, reads: 0, writes: 0 }
  const client: CacheClient = {
    get: async (key) => {
      state.reads++
      if (state.failReads) throw new CacheUnavailable('the disk cannot be read')
      return entries.get(key) ?? null
    },
    put: async (key, bytes) => {
      state.writes++
      if (state.failWrites) throw new CacheUnavailable('the disk is full')
      if (entries.has(key)) return false
      entries.set(key, bytes)
      return true
    },
  }
  return { client, entries, state, jsonOf: (key: string): unknown => JSON.parse(textOf(entries.get(key))) }
}

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString()
