import { UserError } from '../../maintenance/user-error.ts'
import type { ReadObject } from '../../storage/objects/object-store.ts'
import { objectReader, type ObjectSource } from '../../storage/objects/read-object.ts'
import { openBucket } from '../../storage/open/objects.ts'
import type { S3Store } from '../../storage/objects/s3/store.ts'
import { asUserError } from '../terminal/log-failure.ts'
import { readObjectStore } from '../serve/object-store-config.ts'

/** Reads the objects of a store, from its database and from the bucket that SERVICE_OBJECT_STORE_URL names. Throws `UserError`. */
export const namedObjects = async ({ read }: Pick<ObjectSource, 'read'>): Promise<ReadObject> =>
  objectReader({ read, s3: await openNamedBucket(process.env) })

/** Opens the bucket of large parts that SERVICE_OBJECT_STORE_URL names, or returns null. Throws `UserError`. */
export const openNamedBucket = async (env: Readonly<Record<string, string | undefined>>): Promise<S3Store | null> => {
  const { objectStore, errors } = readObjectStore(env)
  if (errors.length > 0) throw new UserError(errors.join('\n'))
  try {
    return objectStore && (await openBucket({ settings: objectStore }))
  } catch (error) {
    throw asUserError(error)
  }
}
