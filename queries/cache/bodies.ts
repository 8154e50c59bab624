import * as entries from '../../storage/cache/entries.ts'
import type { Query } from '../../storage/storage.ts'

// The bytes of cache entries. Entries are in no run set, so the queries take no viewer: a caller who may read the cache
// may read every entry.

/** The bytes of a key, or null. */
export const findBody = (key: string): Query<Buffer | null> => entries.findBody(entries.keyDigest(key))

/** The number of bytes of a key, or null. */
export const findSize = (key: string): Query<number | null> => entries.findSize(entries.keyDigest(key))
