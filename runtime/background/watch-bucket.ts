import type { Logger } from 'pino'
import { ObjectsUnavailable } from '../../storage/errors.ts'
import type { S3Store } from '../../storage/objects/s3/store.ts'

const PROBE_MS = 5000
/** A bucket that stays away is one line a minute. */
const LOG_MS = 60_000

type Options = {
  readonly logger: Pick<Logger, 'error' | 'info'>
  /** Called when the bucket answers again. What it cannot do is logged. */
  readonly onBack: (signal: AbortSignal) => Promise<unknown>
}

/**
 * Asks a bucket that failed every few seconds whether it is back, so that no request has to find out, and then calls `onBack`. Returns a function
 * that ends it, whose promise settles when nothing of it runs any more.
 */
export const watchBucket = (
  { health, probe }: Pick<S3Store, 'health' | 'probe'>,
  { logger, onBack }: Options,
  everyMs = PROBE_MS,
): (() => Promise<void>) => {
  const stopping = new AbortController()
  let loggedAt = -Infinity
  let asking: Promise<void> | null = null
  const ask = async (): Promise<void> => {
    const wasOpen = health.isOpen()
    try {
      await probe()
      if (wasOpen) logger.info('the store of large parts answers again')
      await onBack(stopping.signal)
    } catch (error) {
      // A stop closes the bucket.
      if (stopping.signal.aborted) return
      if (!(error instanceof ObjectsUnavailable)) {
        logger.error({ err: error }, 'what was dropped while the store of large parts was away cannot be removed yet')
        return
      }
      const now = performance.now()
      if (!wasOpen || now - loggedAt < LOG_MS) return
      loggedAt = now
      logger.error({ reason: error.message }, 'the store of large parts is away')
    }
  }
  const timer = setInterval(() => {
    if (asking || health.isUp()) return
    asking = ask().finally(() => (asking = null))
  }, everyMs)
  timer.unref()
  return async () => {
    stopping.abort()
    clearInterval(timer)
    await asking
  }
}
