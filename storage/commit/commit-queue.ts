import type { AnyCommand, Fetched, Outcome } from '../command.ts'
import type { Unavailable } from '../errors.ts'

/** The limits of the queue. */
export type QueueBounds = {
  readonly queuedBytes: number
  readonly queuedCommands: number
  /** Commands without a document that may be taken in a row while a document waits. */
  readonly overtaking: number
  /**
   * When the store fails, a command that has waited this long fails at once. Otherwise each waiting command would be
   * tried in turn, and each attempt may take long to fail.
   */
  readonly overdueMs: number
}

export type QueuedCommand = {
  readonly command: AnyCommand
  readonly since: number
  readonly settle: (outcome: Outcome) => void
  /** A part of a bucket that its preparation needs. */
  readonly fetched?: Fetched
}

export type CommitQueue = {
  readonly add: (queued: QueuedCommand) => void
  /** Removes and returns the next command. Returns undefined if there is none, or if it has more bytes than `room`. */
  readonly takeNext: (room: number) => QueuedCommand | undefined
  readonly isEmpty: () => boolean
  /** Whether a command must be rejected because too much is waiting, here or, as a number of commands, `elsewhere`. */
  readonly isFullFor: (command: AnyCommand, elsewhere: number) => boolean
  /** Call it after each group. `wasLarge` is whether the documents of the group exceeded the size limit of a group. */
  readonly updateOrder: (wasLarge: boolean) => void
  /** Fails the commands that have waited too long. */
  readonly failOverdue: (error: Unavailable) => void
}

/**
 * The commands that wait, in the order in which they are committed: those without a document first, but after the maximum
 * in a row a waiting document has its turn. Otherwise an endless stream of small commands would keep all
 * documents waiting. After a large document, the next group takes the smallest waiting documents first, so that none of them waits for two large ones.
 * The group after that takes the oldest first again. `p-queue` does not fit: it starts one piece of work at a time, by
 * priority, and forms no groups.
 */
export const commitQueue = (clock: () => number, bounds: QueueBounds): CommitQueue => {
  const withoutDocument: QueuedCommand[] = []
  const documents: QueuedCommand[] = []
  let queuedBytes = 0
  let smallestFirst = false
  /** Commands without a document that were taken since the last document, while one was waiting. */
  let overtaken = 0

  const count = (): number => withoutDocument.length + documents.length

  /**
   * The index of the next document. Sizes are upload sizes: a document that is large after inflation is also larger as
   * an upload than a small one.
   */
  const nextIndex = (): number => {
    if (!smallestFirst) return 0
    let index = 0
    for (const [i, { command }] of documents.entries())
      if (command.bytes < (documents[index]?.command.bytes ?? 0)) index = i
    return index
  }

  return {
    add: (queued) => {
      queuedBytes += queued.command.bytes
      if (queued.command.bytes > 0) documents.push(queued)
      else withoutDocument.push(queued)
    },
    takeNext: (room) => {
      const documentWaits = documents.length > 0
      if (withoutDocument.length > 0 && !(documentWaits && overtaken >= bounds.overtaking)) {
        overtaken = documentWaits ? overtaken + 1 : 0
        return withoutDocument.shift()
      }
      const index = nextIndex()
      const next = documents[index]
      if (!next || next.command.bytes > room) return undefined
      documents.splice(index, 1)
      queuedBytes -= next.command.bytes
      overtaken = 0
      return next
    },
    isEmpty: () => count() === 0,
    isFullFor: (command, elsewhere) => {
      const waiting = count() + elsewhere
      return waiting > 0 && (queuedBytes + command.bytes > bounds.queuedBytes || waiting >= bounds.queuedCommands)
    },
    updateOrder: (wasLarge) => {
      smallestFirst = !smallestFirst && wasLarge
    },
    failOverdue: (error) => {
      const oldestAllowed = clock() - bounds.overdueMs
      for (const queue of [withoutDocument, documents]) {
        for (const queued of queue.splice(0)) {
          if (queued.since > oldestAllowed) queue.push(queued)
          else {
            queuedBytes -= queued.command.bytes
            queued.settle({ ok: false, error })
          }
        }
      }
    },
  }
}
