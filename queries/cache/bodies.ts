import * as entries from '../../storage/cache/entries.ts'
import type { Query } from '../../storage/storage.ts'

// What is kept under a key. Entries are in no run set: everyone who may read the cache may read them all, so no viewer
// is asked for.

/** The bytes under a key, or null. */
export const findBody = (key: string): Query<Buffer | null> => entries.findBody(entries.digestOf(key))

/** How many bytes are kept under a key, or null. */
export const findSize = (key: string): Query<number | null> => entries.findSize(entries.digestOf(key))
