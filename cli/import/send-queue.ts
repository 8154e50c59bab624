import PQueue from 'p-queue'
import type { Outcome } from './target.ts'

/** A document to send, with the bytes it takes in memory. */
export type QueuedDocument = {
  readonly bytes: number
  /** Sends it. A rejection stops the import. */
  readonly send: () => Promise<Outcome | { readonly kind: 'unread' }>
}

const MAX_IN_FLIGHT_BYTES = 64 * 1024 * 1024

export type SendQueue = {
  /** Resolves when the document is on its way, or is dropped because the import stops. Never reads far ahead. */
  readonly add: (document: QueuedDocument) => Promise<void>
  readonly onIdle: () => Promise<void>
  /** What stopped the import: the errors that `send` threw. */
  readonly failures: readonly unknown[]
}

/**
 * Sends documents, `concurrency` at a time and at most 64 MiB; a larger one is sent alone. The first document is sent
 * alone as well, so that a problem with the target is reported once.
 */
export const sendQueue = (concurrency: number, isStopped: () => boolean): SendQueue => {
  const queue = new PQueue({ concurrency })
  const failures: unknown[] = []
  let inFlightBytes = 0
  let released = Promise.withResolvers<void>()
  let hasOutcome = false

  const run = async ({ send }: QueuedDocument) => {
    if (isStopped() || failures.length > 0) return
    try {
      const outcome = await send()
      hasOutcome ||= outcome.kind !== 'unread'
    } catch (error) {
      failures.push(error)
    }
  }
  const release = (bytes: number) => {
    inFlightBytes -= bytes
    released.resolve()
    released = Promise.withResolvers()
  }

  return {
    failures,
    onIdle: () => queue.onIdle(),
    add: async (document) => {
      await queue.onSizeLessThan(1)
      while (inFlightBytes > 0 && inFlightBytes + document.bytes > MAX_IN_FLIGHT_BYTES) await released.promise
      inFlightBytes += document.bytes
      const done = queue.add(() => run(document)).finally(() => release(document.bytes))
      if (!hasOutcome) await done
    },
  }
}
