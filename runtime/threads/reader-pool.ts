import type { Worker } from 'node:worker_threads'
import { isOutOfMemory } from './young-heap.ts'
import { callerOf } from './caller.ts'
import type { LongReadStep } from '../../queries/long-reads.ts'
import { Busy, OverBudget } from '../../storage/errors.ts'
import { callsTo, type Calls } from './calls.ts'
import type { RunStep } from '../reads/in-steps.ts'
import type { ReaderCalls } from './reader-thread.ts'
import { fairQueue, type Started } from './fair-queue.ts'

/** Maximum time of one read. After it, the thread is terminated and a new one replaces it. */
const JOB_DEADLINE_MS = 30_000

/** Maximum number of reads, of all callers, that wait for a thread; further ones are rejected with 503 and Retry-After. */
export const MAX_WAITING_JOBS = 500

/** How long a thread waits for its next read before it is ended, which frees all of its memory. */
const IDLE_MS = 30_000

/**
 * How long reads wait for the only thread while it warms up. A new thread takes as long on a busy machine, if it reads
 * PostgreSQL.
 */
export const MAX_WARM_MS = 600

/** How long a thread may take to close its connections, so that an unresponsive database does not block its slot. */
export const CLOSE_MS = 5_000

type Job = {
  readonly args: Parameters<ReaderCalls['read']>
  readonly resolve: (step: LongReadStep | null) => void
  readonly reject: (error: Error) => void
}
type Thread = { readonly worker: Worker; readonly calls: Calls<ReaderCalls>['calls']; idleTimer?: NodeJS.Timeout }

export type ReaderPool = {
  /**
   * Runs a read, or a further part of one, on a thread when it is its viewer's turn. A read that is aborted while it
   * waits never starts. Rejects with `TooManyReads` if this viewer has too many waiting reads, and with `Unavailable` if
   * all viewers together have too many. A further part is not rejected for these reasons: its client already has the
   * beginning of the response.
   */
  readonly run: RunStep
  /** Collects the garbage of the threads that are free, one after the other. */
  readonly collectGarbage: () => Promise<void>
  /** Calls what warms up the first thread. See `OpenService`. */
  readonly warm: (read: () => Promise<void>) => Promise<void>
  readonly close: () => Promise<void>
}

type PoolOptions = {
  readonly threads: number
  readonly start: () => Worker
  readonly onFatal: (error: Error) => void
  readonly deadlineMs?: number
  readonly idleMs?: number
}

/**
 * A pool of threads, each of which runs one long read at a time. They are shared fairly among callers (`fair-queue.ts`).
 * A thread is started when a read would wait for one. It is ended when it was idle for a while or uses much memory:
 * each thread uses at least 30 MiB, which a service without searches should not need.
 *
 * Neither `tinypool` nor `piscina` can replace it: both throw when a queue withholds work from a free thread, and end
 * the thread of a running read when its client aborts it.
 */
export const readerPool = ({
  threads,
  start,
  onFatal,
  deadlineMs = JOB_DEADLINE_MS,
  idleMs = IDLE_MS,
}: PoolOptions): ReaderPool => {
  const queue = fairQueue<Job>(threads)
  const free: Thread[] = []
  /** Free and busy threads. */
  const live = new Set<Thread>()
  /** Threads that are being ended: each still occupies a slot. */
  const retiring = new Set<Promise<unknown>>()
  let closing = false
  let isWarming = false

  const startThread = (): Thread => {
    const worker = start()
    const thread: Thread = {
      worker,
      ...callsTo<ReaderCalls>(worker, {
        onMessage: () => {},
        onExit: (error, code) => {
          // A thread that was ended on purpose is no longer in `live`.
          if (live.delete(thread) && !closing && !isOutOfMemory(error))
            onFatal(error ?? new Error(`a reader thread ended with code ${code}`))
        },
      }),
    }
    live.add(thread)
    return thread
  }

  const startNext = (): void => {
    while (free.length > 0 || live.size + retiring.size < (isWarming ? Math.min(1, threads) : threads)) {
      const started = queue.next()
      if (!started) return
      const thread = free.pop() ?? startThread()
      clearTimeout(thread.idleTimer)
      runOn(thread, started)
    }
  }

  const runOn = (thread: Thread, { caller, work: { args, resolve, reject } }: Started<Job>): void => {
    let hasEnded = false
    /** Returns the thread to the pool if it is still alive, retires it if it is spent, and starts waiting reads. */
    const end = (isSpent = false): void => {
      if (hasEnded) return
      hasEnded = true
      clearTimeout(deadline)
      queue.done(caller)
      if (isSpent && live.delete(thread)) retire(thread)
      else if (live.has(thread)) release(thread)
      if (!closing) startNext()
    }
    const deadline = setTimeout(() => {
      // A thread cannot be interrupted, only ended: a new one serves the reads that wait.
      live.delete(thread)
      void thread.worker.terminate()
      reject(new OverBudget('the read took too long'))
      end()
    }, deadlineMs)
    thread.calls.read(...args).then(
      (answer) => {
        resolve(answer)
        end(answer?.isSpent)
      },
      (error: Error) => {
        reject(
          isOutOfMemory(error)
            ? new OverBudget('the read needs more memory than a thread may have', { cause: error })
            : error,
        )
        end()
      },
    )
  }

  const release = (thread: Thread): void => {
    free.push(thread)
    thread.idleTimer = setTimeout(() => {
      free.splice(free.indexOf(thread), 1)
      live.delete(thread)
      retire(thread)
    }, idleMs).unref()
  }

  /** Closes the connections of a thread and ends it; the next read starts a new one. */
  const retire = (thread: Thread): void => {
    const deadline = setTimeout(() => void thread.worker.terminate(), CLOSE_MS).unref()
    const ended = thread.calls
      .close()
      .catch(() => {})
      .then(() => thread.worker.terminate())
      .finally(() => clearTimeout(deadline))
    retiring.add(ended)
    void ended.finally(() => {
      retiring.delete(ended)
      if (!closing) startNext()
    })
  }

  return {
    run: async (name, viewer, args, signal, resumed) => {
      if (signal?.aborted) throw new Busy('the client disconnected')
      if (!resumed && queue.waiting() >= MAX_WAITING_JOBS) throw new Busy('too many reads are waiting')
      const { promise, resolve, reject } = Promise.withResolvers<LongReadStep | null>()
      const job: Job = { args: [name, viewer, args, resumed], resolve, reject }
      const caller = callerOf(viewer)
      queue.enter(caller, job, resumed === null)
      const onAbort = (): void => {
        // A read that waits is removed; one that runs continues, since a thread cannot be interrupted.
        queue.leave(caller, job)
        reject(new Busy('the client disconnected'))
        // If only one caller remains, it may use more threads than before.
        startNext()
      }
      signal?.addEventListener('abort', onAbort)
      startNext()
      return promise.finally(() => signal?.removeEventListener('abort', onAbort))
    },
    warm: async (read) => {
      const end = (): void => {
        isWarming = false
        if (!closing) startNext()
      }
      isWarming = true
      const deadline = setTimeout(end, MAX_WARM_MS).unref()
      await read().finally(() => {
        clearTimeout(deadline)
        end()
      })
    },
    collectGarbage: async () => {
      // What a thread holds that ends meanwhile is free.
      for (const { calls } of [...free]) await calls.collectGarbage().catch(() => {})
    },
    close: async () => {
      closing = true
      for (const { idleTimer } of free) clearTimeout(idleTimer)
      for (const { reject } of queue.clear()) reject(new Busy('the service is closing'))
      // Each call to close is answered between two steps of a read. A thread that is terminated within native code, for
      // example while it loads SQLite, may abort the process.
      for (const thread of live) retire(thread)
      await Promise.allSettled(retiring)
    },
  }
}
