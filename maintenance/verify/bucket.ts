import { findLogIdentity } from '../../storage/log/head.ts'
import { countObjectsIn, listKnownObjects } from '../../storage/objects/rows.ts'
import type { ListedObject, S3Store } from '../../storage/objects/s3/store.ts'
import type { Query } from '../../storage/storage.ts'
import { storedObjects } from '../stored-objects.ts'
import { VerificationFailed } from './finding.ts'

/**
 * The bucket of large parts. A service may go on: `readNow` reads the store as it is now, because a bucket has no snapshot. `unchecked`: none is
 * named, and what is in one is not looked at.
 */
export type PartBucket =
  | { readonly store: Pick<S3Store, 'where' | 'read' | 'list' | 'readIdentity'>; readonly readNow: ReadNow }
  | 'unchecked'
type ReadNow = <T>(query: Query<T>) => Promise<T>

const altered = ({ message }: Error): Error => new VerificationFailed('altered', message)

async function* listedObjects(store: Pick<S3Store, 'list'>, after = ''): AsyncGenerator<ListedObject> {
  for await (const group of store.list(after)) yield* group
}

/** How many of some objects, in the order of their ids, the bucket still has. */
const countListed = async (store: Pick<S3Store, 'list'>, ids: readonly string[]): Promise<number> => {
  const [first, last] = [ids[0], ids.at(-1)]
  if (first === undefined || last === undefined) return 0
  const wanted = new Set(ids)
  let count = 0
  // A list begins after an id; the first one without its last character comes just before it.
  for await (const { object_id } of listedObjects(store, first.slice(0, -1))) {
    if (object_id > last) break
    if (wanted.has(object_id)) count++
  }
  return count
}

/** How many unknown objects are looked up in one read. */
const ASKED_AT_ONCE = 1000

/**
 * Checks that the bucket is that of this log, and that it has every object that a snapshot of the store names, with its length: by its list, so a
 * thousand objects take one request. Returns how many objects it has that the store does not know. Throws `VerificationFailed`, and
 * `ObjectsUnavailable` if the bucket cannot be reached.
 */
export const checkBucketList = async (read: ReadNow, bucket: PartBucket | null): Promise<number> => {
  if (bucket === 'unchecked') return 0
  const expected = await read(countObjectsIn('s3'))
  if (bucket === null) {
    if (expected === 0) return 0
    throw new VerificationFailed(
      'unreadable',
      `${expected} objects of parts are in a bucket: set SERVICE_OBJECT_STORE_URL to it, as for the service`,
    )
  }
  const { store, readNow } = bucket
  const identity = await store.readIdentity()
  // Nothing was ever stored in it.
  if (identity === null && expected === 0) return 0
  if (identity !== (await read(findLogIdentity)))
    throw new VerificationFailed(
      'unreadable',
      `${store.where} ${identity === null ? 'has no object "store": it was never used, or it was emptied' : 'has the parts of another log'}`,
    )
  let strays = 0
  const unknown: string[] = []
  const countStrays = async (): Promise<void> => {
    const known = await readNow(listKnownObjects(unknown))
    // One that was listed may have been removed, and its row with it, before its row was looked for.
    strays += await countListed(
      store,
      unknown.filter((id) => !known.has(id)),
    )
    unknown.length = 0
  }
  const checkAbsent = async (object_id: string): Promise<void> => {
    // Its run may have been deleted since the snapshot.
    if ((await readNow(listKnownObjects([object_id]))).get(object_id) !== 'stored') return
    throw new VerificationFailed('missing', `object ${object_id} of ${store.where} is missing`)
  }
  const listed = listedObjects(store)
  let found = await listed.next()
  for await (const { object_id, lengths } of storedObjects(read, 's3', altered)) {
    for (; !found.done && found.value.object_id < object_id; found = await listed.next()) {
      unknown.push(found.value.object_id)
      if (unknown.length >= ASKED_AT_ONCE) await countStrays()
    }
    if (found.done || found.value.object_id !== object_id) {
      await checkAbsent(object_id)
      continue
    }
    const [has, sealed] = [found.value.bytes, lengths.reduce((sum, length) => sum + length, 0)]
    if (has !== sealed)
      throw new VerificationFailed(
        has < sealed ? 'missing' : 'altered',
        `object ${object_id} of ${store.where} has ${has} bytes, not ${sealed}`,
      )
    found = await listed.next()
  }
  for (; !found.done; found = await listed.next()) {
    unknown.push(found.value.object_id)
    if (unknown.length >= ASKED_AT_ONCE) await countStrays()
  }
  await countStrays()
  return strays
}
