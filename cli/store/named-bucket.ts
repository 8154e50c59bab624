import { UserError } from '../../maintenance/user-error.ts'
import { openBucket } from '../../storage/open/objects.ts'
import type { S3Store } from '../../storage/objects/s3/store.ts'
import { asUserError } from '../terminal/log-failure.ts'
import { readObjectStore } from '../serve/object-store-config.ts'

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
