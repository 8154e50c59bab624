/** Where the bytes of objects are. */
export type ObjectPlace = 'files' | 'table' | 's3'

/** An object, as its row says where it is. */
export type StoredObject = { readonly object_id: string; readonly place: string }

/**
 * Reads sealed bytes of an object from an offset on. Throws `ObjectDamaged` if the object has fewer, and `Unavailable` if its store cannot
 * be reached.
 */
export type ReadObject = (object: StoredObject, offset: number, length: number) => Promise<Buffer>

/**
 * A store of sealed objects. An id is written once and removed once, and never used again, so no two writers ever meet. Throws
 * `Unavailable` if the store cannot be reached, of which `DiskFull` is one.
 */
export type ObjectStore = {
  readonly place: ObjectPlace
  /**
   * Returns when the bytes are durable. Takes a chunk when it has written the one before, so that few are in memory, and may take the memory of
   * chunks over.
   */
  readonly put: (id: string, chunks: AsyncIterable<Buffer>) => Promise<void>
  /** Removes objects, also those whose bytes are not complete. Does nothing for one that is gone already. */
  readonly remove: (ids: readonly string[]) => Promise<void>
}
