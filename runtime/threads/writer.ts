import type { Invalidated } from '../../commands/tags.ts'
import type { Store } from '../../storage/open/reader.ts'
import type { Model } from '../../storage/missing-tables.ts'
import type { Batch } from '../change-feed.ts'
import { callsTo, type Calls } from './calls.ts'
import { startThread } from './preload.ts'
import type { WriterCalls, WriterData, WriterMessage } from './writer-thread.ts'

export type WriterThread = Calls<WriterCalls> & {
  /** The log position after the last commit, even if its notification has not arrived yet. */
  readonly position: () => number
  /** Whether the store contains a commit whose notification has not arrived yet. */
  readonly hasUnseenCommits: () => boolean
  /** Settles when commands can be committed. Rejects if the thread ends before that. */
  readonly whenReady: Promise<{ readonly schema: number; readonly models: readonly Model[] }>
  /** From this call on, the end of the thread is not fatal. */
  readonly expectExit: () => void
  /**
   * Closes the store, then ends the thread. A build of read models is interrupted: the next start resumes it.
   */
  readonly close: () => Promise<void>
  /** Ends the thread without closing the store. */
  readonly terminate: () => Promise<void>
}

type Options = {
  readonly store: Store
  readonly instance: string
  /** The buffer of the missing read models. */
  readonly missing: SharedArrayBuffer
  /** Receives what a commit invalidated and changed, before the call for the commit settles. */
  readonly onInvalidated: (tags: readonly Invalidated[] | null, batch: Batch) => void
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void
  /** Called when the thread cannot write any more: it was fenced, or it ended unexpectedly. */
  readonly onFatal: (error: Error) => void
}

/** Starts the writer thread. Settles when the schema is current; rejects when the store cannot be opened. */
export const startWriter = async ({
  store,
  instance,
  missing,
  onInvalidated,
  log,
  onFatal,
}: Options): Promise<WriterThread> => {
  const sharedBuffer = new SharedArrayBuffer(8)
  const position = new BigInt64Array(sharedBuffer)
  /** The position in the last notification. The writer stores `position` shortly before it sends the notification. */
  let notifiedPosition = 0
  let isExitExpected = false
  const migrated = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<{ schema: number; models: readonly Model[] }>()
  // Avoids an unhandled rejection. Callers that wait for `ready` still see it, and `migrated` reports a failure before
  // the migration.
  ready.promise.catch(() => {})

  const onMessage = (message: WriterMessage): void => {
    switch (message.kind) {
      case 'migrated':
        return migrated.resolve()
      case 'ready':
        notifiedPosition = Math.max(notifiedPosition, message.size)
        return ready.resolve(message)
      case 'committed':
        notifiedPosition = message.batch.to
        return onInvalidated(message.tags, message.batch)
      case 'log':
        return log(message.message, message.fields)
      case 'fenced':
        return onFatal(new Error(message.message))
    }
  }

  const worker = startThread('writer', { store, instance, position: sharedBuffer, missing } satisfies WriterData)
  const thread = callsTo<WriterCalls, WriterMessage>(worker, {
    onMessage,
    onExit: (error, code) => {
      const cause = error ?? new Error(`the writer thread ended with code ${code}`)
      migrated.reject(cause)
      ready.reject(cause)
      if (!isExitExpected) onFatal(cause)
    },
  })
  await migrated.promise

  const terminate = async (): Promise<void> => {
    isExitExpected = true
    await worker.terminate()
  }
  return {
    ...thread,
    position: () => Number(Atomics.load(position, 0)),
    hasUnseenCommits: () => Number(Atomics.load(position, 0)) > notifiedPosition,
    whenReady: ready.promise,
    expectExit: () => {
      isExitExpected = true
    },
    close: async () => {
      isExitExpected = true
      try {
        await thread.calls.close()
      } finally {
        await terminate()
      }
    },
    terminate,
  }
}
