import { dirname, join } from 'node:path'
import { PARTS_FOLDER } from '../objects/file-store.ts'
import type { ReadObject } from '../objects/object-store.ts'
import { objectReader, type ObjectSource } from '../objects/read-object.ts'
import type { S3Store } from '../objects/s3/store.ts'
import type { Reader } from '../storage.ts'
import { ObjectInBucket } from '../errors.ts'
import type { BucketLocation, Store } from './reader.ts'

/** Opens a bucket for reading and removing. */
export const openBucket = async (bucket: BucketLocation): Promise<S3Store> =>
  // Imported on demand: few services have one.
  (await import('../objects/s3/store.ts')).openS3Store(bucket)

/** Reads objects, also those of a bucket, which is opened when the first one is read. */
export const objectsWithBucket = (
  { read, partsFolder }: Omit<ObjectSource, 's3'>,
  bucket: BucketLocation | null | undefined,
): ReadObject => {
  let opened: Promise<S3Store> | null = null
  return objectReader({
    read,
    ...(partsFolder === undefined ? {} : { partsFolder }),
    s3: bucket
      ? { read: async (id, offset, length) => (await (opened ??= openBucket(bucket))).read(id, offset, length) }
      : null,
  })
}

/** Reads objects as before, but none of a bucket. Throws `ObjectInBucket`. */
export const withoutBucket =
  (readObject: ReadObject): ReadObject =>
  (object, offset, length) => {
    if (object.place !== 's3') return readObject(object, offset, length)
    return Promise.reject(new ObjectInBucket(`object ${object.object_id} is in a bucket`))
  }

/** Reads the objects of a store: from its database, from its bucket, and on SQLite also from the folder next to its file. */
export const storeObjects = (store: Store, { read }: Pick<Reader, 'read'>): ReadObject =>
  objectsWithBucket(
    { read, partsFolder: store.kind === 'sqlite' ? join(dirname(store.file), PARTS_FOLDER) : null },
    store.bucket,
  )
