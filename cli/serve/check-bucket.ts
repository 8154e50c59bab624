import type { Logger } from 'pino'
import { UserError } from '../../maintenance/user-error.ts'
import { messageOf } from '../../domain/plain/message-of.ts'
import { ObjectsUnavailable } from '../../storage/errors.ts'
import { findLogIdentity } from '../../storage/log/head.ts'
import { countInBucket } from '../../storage/objects/rows.ts'
import { isRefusal, OtherLog, type S3Store } from '../../storage/objects/s3/store.ts'
import type { Reader } from '../../storage/storage.ts'

/**
 * Checks the bucket of large parts: that it can be used, and that its prefix belongs to this log. One that cannot be reached is a warning: all
 * but large parts works without it. Throws `UserError`.
 */
export const checkBucket = async (
  bucket: S3Store | null,
  { reader: { read }, logger }: { readonly reader: Pick<Reader, 'read'>; readonly logger: Logger },
): Promise<void> => {
  if (bucket === null) {
    const count = await read(countInBucket)
    if (count > 0)
      throw new UserError(
        `${count} ${count === 1 ? 'object' : 'objects'} of large parts of evidence ${count === 1 ? 'is' : 'are'} in a bucket: set SERVICE_OBJECT_STORE_URL to it, and start again`,
      )
    return
  }
  try {
    const warnings = await bucket.check(await read(findLogIdentity))
    for (const warning of warnings) logger.warn(warning)
    logger.info({ bucket: bucket.where }, 'the bucket of large parts can be used')
  } catch (error) {
    if (error instanceof OtherLog) throw new UserError(error.message, { cause: error })
    if (!(error instanceof ObjectsUnavailable)) throw error
    if (isRefusal(error))
      throw new UserError(
        `SERVICE_OBJECT_STORE_URL cannot be used: ${messageOf(error)}. The rights that it needs are s3:PutObject, s3:GetObject, s3:DeleteObject and s3:ListBucket on the prefix`,
        { cause: error },
      )
    logger.warn({ reason: error.message }, 'large parts cannot be stored or read yet')
  }
}
