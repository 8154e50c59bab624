import type { Logger } from 'pino'
import type { StoredCheckpoint } from '../../queries/log/checkpoints.ts'
import { failureReason, type PostText } from './post-text.ts'

type Parts = {
  readonly logger: Pick<Logger, 'warn'>
  readonly post: PostText
  /** Makes a signal that ends one request. */
  readonly deadline: () => AbortSignal
  /** Ends all requests, whose failure is then not logged. */
  readonly closing: AbortSignal
}

/**
 * Sends checkpoints to the URLs of SERVICE_CHECKPOINT_URLS. The returned function sends a checkpoint to each URL that has
 * not received it yet, and settles when all have answered or failed. A failure is a warning.
 */
export const sendCheckpoints = (urls: readonly string[], { logger, post, deadline, closing }: Parts) => {
  const received = new Map<string, number>()

  const send = async (url: string, { size, note }: StoredCheckpoint): Promise<void> => {
    if ((received.get(url) ?? 0) >= size) return
    const fail = (reason: string): void => {
      if (closing.aborted) return
      // Paths of URLs often contain secrets.
      logger.warn(
        { receiver: new URL(url).origin, size, reason },
        'SERVICE_CHECKPOINT_URLS: a checkpoint was not received',
      )
    }
    try {
      const { status } = await post(url, note, AbortSignal.any([deadline(), closing]))
      if (status >= 200 && status < 300) received.set(url, size)
      else fail(`status ${status}`)
    } catch (error) {
      fail(failureReason(error))
    }
  }

  return async (checkpoint: StoredCheckpoint): Promise<void> => {
    await Promise.all(urls.map((url) => send(url, checkpoint)))
  }
}
