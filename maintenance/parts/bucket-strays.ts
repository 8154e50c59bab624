import { UserError } from '../user-error.ts'
import { findLogIdentity } from '../../storage/log/head.ts'
import { listKnownObjects } from '../../storage/objects/rows.ts'
import type { S3Store } from '../../storage/objects/s3/store.ts'
import type { Query } from '../../storage/storage.ts'
import { MIN_STRAY_AGE_MS, type StraySweep, type Strays } from './strays.ts'

/**
 * Counts the objects of a bucket that no row of the store names, and removes the old ones unless it is a dry run. Throws `UserError` if the bucket
 * belongs to another log, of which every object would be a stray.
 */
export const sweepBucketStrays = async (
  { store, read }: { readonly store: S3Store; readonly read: <T>(query: Query<T>) => T | Promise<T> },
  { now, dry_run, signal }: StraySweep,
): Promise<Strays> => {
  const strays = { found: 0, old: 0, bytes: 0 }
  const identity = await store.readIdentity()
  if (identity === null) return strays
  if (identity !== (await read(findLogIdentity)))
    throw new UserError(`${store.where} has the parts of another log: its object "store" says so`)
  for await (const group of store.list('')) {
    signal.throwIfAborted()
    const known = await read(listKnownObjects(group.map(({ object_id }) => object_id)))
    const unknown = group.filter(({ object_id }) => !known.has(object_id))
    const old = unknown.filter(({ changed_at }) => now - changed_at >= MIN_STRAY_AGE_MS)
    if (!dry_run && old.length > 0) await store.remove(old.map(({ object_id }) => object_id))
    strays.found += unknown.length
    strays.old += old.length
    strays.bytes += old.reduce((sum, { bytes }) => sum + bytes, 0)
  }
  return strays
}
