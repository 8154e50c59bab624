import type { Logger } from 'pino'
import { ObjectsUnavailable } from '../../storage/errors.ts'
import type { S3Store } from '../../storage/objects/s3/store.ts'

const PROBE_MS = 5000
/** A bucket that stays away is one line a minute. */
const LOG_MS = 60_000

/**
 * Asks a bucket that failed every few seconds whether it is back, so that no request has to find out, and then calls `onBack`, whose errors are
 * those of a bucket that is away again. Returns a function that ends it.
 */
export const watchBucket = (
  { health, probe }: Pick<S3Store, 'health' | 'probe'>,
  { logger, onBack }: { readonly logger: Pick<Logger, 'error' | 'info'>; readonly onBack: () => Promise<unknown> },
  everyMs = PROBE_MS,
): (() => void) => {
  let loggedAt = -Infinity
  let isProbing = false
  const ask = async (): Promise<void> => {
    const wasOpen = health.isOpen()
    try {
      await probe()
      if (wasOpen) logger.info('the store of large parts answers again')
      await onBack()
    } catch (error) {
      if (!(error instanceof ObjectsUnavailable)) throw error
      const now = performance.now()
      if (!wasOpen || now - loggedAt < LOG_MS) return
      loggedAt = now
      logger.error({ reason: error.message }, 'the store of large parts is away')
    }
  }
  const timer = setInterval(() => {
    if (isProbing || health.isUp()) return
    isProbing = true
    void ask().finally(() => (isProbing = false))
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
