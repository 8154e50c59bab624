import { UserError } from '../../maintenance/user-error.ts'
import type { ReadObject } from '../../storage/objects/object-store.ts'
import { objectReader, type ObjectSource } from '../../storage/objects/read-object.ts'
import type { BucketLocation } from '../../storage/open/reader.ts'
import { openBucket } from '../../storage/open/objects.ts'
import type { S3Store } from '../../storage/objects/s3/store.ts'
import { asUserError } from '../terminal/log-failure.ts'
import { readObjectStore } from '../serve/object-store-config.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Reads the objects of a store, from its database and from the bucket that SERVICE_OBJECT_STORE_URL names. Throws `UserError`. */
export const namedObjects = async ({ read }: Pick<ObjectSource, 'read'>): Promise<ReadObject> =>
  objectReader({ read, s3: await openNamedBucket(process.env) })

/** The bucket that SERVICE_OBJECT_STORE_URL names, or null. Throws `UserError`. */
export const namedLocation = (env: Variables): BucketLocation | null => {
  const { objectStore, errors } = readObjectStore(env)
  if (errors.length > 0) throw new UserError(errors.join('\n'))
  return objectStore && { settings: objectStore, movesDocuments: objectStore.movesDocuments ?? false }
}

/** Opens the bucket of large parts that SERVICE_OBJECT_STORE_URL names, or returns null. Throws `UserError`. */
export const openNamedBucket = async (env: Variables): Promise<S3Store | null> => {
  const location = namedLocation(env)
  try {
    return location && (await openBucket(location))
  } catch (error) {
    throw asUserError(error)
  }
}
