import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { ObjectsUnavailable, Unavailable } from '../../storage/errors.ts'
import type { Mover } from '../moves/mover.ts'

/** How often it is looked for documents that wait, and the pause after a failure. */
const LOOK_MS = 1_000
const RETRY_MS = 10_000

type Options = {
  readonly logger: Pick<Logger, 'error'>
  /** The position of the log: while it grows, a pause as long as a batch leaves half of the time to uploads. */
  readonly position: () => number
  readonly clock?: () => number
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/**
 * Moves the documents that wait, batch after batch. While the bucket or the store is away, they wait, and their frames stay. Returns a function that stops it,
 * whose promise settles when nothing of it runs any more.
 */
export const startMoving = (
  { moveWaiting }: Pick<Mover, 'moveWaiting'>,
  {
    logger,
    position,
    clock = () => performance.now(),
    pause = (ms, signal) => sleep(ms, undefined, { signal }),
  }: Options,
): (() => Promise<void>) => {
  const stopping = new AbortController()
  const { signal } = stopping
  /** Moves a batch. Returns how long to wait before the next one. */
  const moveBatch = async (): Promise<number> => {
    const [startedAt, before] = [clock(), position()]
    try {
      const moves = await moveWaiting(signal)
      if (moves === null) return LOOK_MS
      const damaged = moves.failed.find(({ error }) => !(error instanceof ObjectsUnavailable))
      if (damaged)
        logger.error(
          { err: damaged.error, run_no: damaged.run_no },
          'a document cannot be moved to the bucket: it stays in the database, and is tried again in an hour',
        )
      if (moves.failed.length > (damaged ? 1 : 0)) return RETRY_MS
      return position() > before ? clock() - startedAt : 0
    } catch (err) {
      // The watch of the bucket, and requests, report what is away.
      if (!(err instanceof Unavailable) && !signal.aborted) logger.error({ err }, 'documents cannot be moved yet')
      return RETRY_MS
    }
  }
  const moveAll = async (): Promise<void> => {
    while (!signal.aborted) await pause(await moveBatch(), signal).catch(() => {})
  }
  const ended = moveAll()
  return () => {
    stopping.abort()
    return ended
  }
}
