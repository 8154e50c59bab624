import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { UserError } from '../../maintenance/user-error.ts'
import { messageOf } from '../../domain/plain/message-of.ts'
import { ObjectsUnavailable } from '../../storage/errors.ts'
import { findLogIdentity } from '../../storage/log/head.ts'
import { countInBucket } from '../../storage/objects/rows.ts'
import { isRefusal, OtherLog, type S3Store } from '../../storage/objects/s3/store.ts'
import type { Reader } from '../../storage/storage.ts'

const AWAY = 'large parts cannot be stored or read yet'
/** A start waits so long for a bucket. */
const START_MS = 10_000

type Options = {
  readonly reader: Pick<Reader, 'read'>
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly waitMs?: number
}

/**
 * Checks the bucket of large parts: that it can be used, and that its prefix belongs to this log. One that cannot be reached, or does not answer in
 * time, is a warning: all but large parts works without it, and each write checks the prefix if this did not. Throws `UserError`.
 */
export const checkBucket = async (
  bucket: S3Store | null,
  { reader: { read }, logger, waitMs = START_MS }: Options,
): Promise<void> => {
  if (bucket === null) {
    const count = await read(countInBucket)
    if (count > 0)
      throw new UserError(
        `${count} ${count === 1 ? 'object' : 'objects'} of large parts of evidence ${count === 1 ? 'is' : 'are'} in a bucket: set SERVICE_OBJECT_STORE_URL to it, and start again`,
      )
    return
  }
  const late = new AbortController()
  try {
    const checking = bucket.check(await read(findLogIdentity))
    const warnings = await Promise.race([checking, pause(waitMs, null, { signal: late.signal })])
    if (warnings === null) {
      logger.warn({ reason: `no answer within ${waitMs} ms` }, AWAY)
      // Requests and the watch of the bucket find out what it would have said.
      checking.catch((error: unknown) => logger.warn({ reason: messageOf(error) }, AWAY))
      return
    }
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
    logger.warn({ reason: error.message }, AWAY)
  } finally {
    late.abort()
  }
}
