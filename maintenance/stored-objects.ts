import { listStoredObjects, type SealedObject } from '../storage/objects/rows.ts'
import { ObjectDamaged } from '../storage/objects/seal.ts'
import type { ObjectPlace } from '../storage/objects/object-store.ts'
import type { Query } from '../storage/storage.ts'

/** The objects in a place whose bytes are complete, in the order of their ids. Throws what `damaged` makes of a row that was altered. */
export async function* storedObjects(
  read: <T>(query: Query<T>) => T | Promise<T>,
  place: ObjectPlace,
  damaged: (error: ObjectDamaged) => Error,
): AsyncGenerator<SealedObject> {
  const readAfter = async (after: string): Promise<readonly SealedObject[]> => {
    try {
      return await read(listStoredObjects(place, after))
    } catch (error) {
      throw error instanceof ObjectDamaged ? damaged(error) : error
    }
  }
  for (let after = ''; ;) {
    const objects = await readAfter(after)
    yield* objects
    const last = objects.at(-1)
    if (!last) return
    after = last.object_id
  }
}
