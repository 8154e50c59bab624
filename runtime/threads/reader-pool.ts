import type { Worker } from 'node:worker_threads'
import { callerOf } from './turn-taker.ts'
import type { LongReadStep, RunStep } from '../../queries/long-reads.ts'
import { Busy } from '../../storage/errors.ts'
import { callsTo } from './calls.ts'
import type { Calls } from './calls.ts'
import type { ReaderAnswer, ReaderCall } from './reader-thread.ts'
import { fairQueue } from './turns.ts'
import type { Started } from './turns.ts'

/** How long one read may take: then its thread is ended and a new one takes its place. */
const JOB_DEADLINE_MS = 30_000

/** Reads that may wait for a thread; beyond, the next is told to come back. */
export const MAX_WAITING_JOBS = 500

type Job = {
  readonly call: ReaderCall
  readonly resolve: (step: LongReadStep | null) => void
  readonly reject: (error: Error) => void
}
type Thread = { readonly worker: Worker; readonly calls: Calls; idle?: NodeJS.Timeout }

export type ReaderPool = {
  /**
   * Runs a read, or a further part of one, on a thread when its viewer has a turn. One that is aborted while it waits
   * is never begun. Rejects with `TooManyReads` where this viewer has too many waiting, and with `Unavailable` where
   * all viewers together have; never a further part, of whose answer the client has the begin.
   */
  readonly run: RunStep
  readonly close: () => Promise<void>
}

/** How long a thread waits for its next read before it is ended, which gives all of its memory back. */
const IDLE_MS = 30_000

/**
 * How long an idle thread may take to close its connections: a database that does not answer would hold its place for
 * good.
 */
export const CLOSE_MS = 5_000

type PoolOptions = {
  readonly threads: number
  readonly start: () => Worker
  readonly onFatal: (error: Error) => void
  readonly deadlineMs?: number
  readonly idleMs?: number
}

const isOutOfMemory = (error: Error | null): boolean =>
  error !== null && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

/**
 * Threads that run one long read each at a time, the callers by turns (`turns.ts`). A thread is started when a read
 * would wait for one, and ended when it was idle for a while or holds much memory: each holds 30 MiB at least, which a
 * service without searches need not.
 */
export const readerPool = ({
  threads,
  start,
  onFatal,
  deadlineMs = JOB_DEADLINE_MS,
  idleMs = IDLE_MS,
}: PoolOptions): ReaderPool => {
  const turns = fairQueue<Job>(threads)
  const free: Thread[] = []
  const all = new Set<Thread>()
  const retiring = new Set<Promise<unknown>>()
  let closing = false

  const open = (): Thread => {
    const worker = start()
    const thread: Thread = {
      worker,
      calls: callsTo(worker, {
        onMessage: () => {},
        onExit: (error, code) => {
          // One that was ended on purpose is out of the pool already, and a fresh one serves those who wait.
          if (all.delete(thread) && !closing && !isOutOfMemory(error))
            onFatal(error ?? new Error(`a reader thread ended with code ${code}`))
        },
      }),
    }
    all.add(thread)
    return thread
  }

  const next = (): void => {
    while (free.length > 0 || all.size + retiring.size < threads) {
      const turn = turns.next()
      if (!turn) return
      const thread = free.pop() ?? open()
      clearTimeout(thread.idle)
      runOn(thread, turn)
    }
  }

  const runOn = (thread: Thread, { taker, work: { call, resolve, reject } }: Started<Job>): void => {
    let isOver = false
    /** The thread goes back to the others where it is still one of them. */
    const end = (isSpent = false): void => {
      if (isOver) return
      isOver = true
      clearTimeout(late)
      turns.done(taker)
      if (isSpent && all.delete(thread)) retire(thread)
      else if (all.has(thread)) rest(thread)
      if (!closing) next()
    }
    const late = setTimeout(() => {
      // A thread cannot be interrupted, only ended: a fresh one serves those who wait.
      all.delete(thread)
      void thread.worker.terminate()
      reject(new Busy('the read took too long'))
      end()
    }, deadlineMs)
    thread.calls.call(call).then(
      (answer) => {
        resolve(answer as ReaderAnswer | null)
        end((answer as ReaderAnswer | null)?.isSpent)
      },
      (error: Error) => {
        reject(
          isOutOfMemory(error)
            ? new Busy('the read needs more memory than a thread may have', { cause: error })
            : error,
        )
        end()
      },
    )
  }

  const rest = (thread: Thread): void => {
    free.push(thread)
    thread.idle = setTimeout(() => {
      free.splice(free.indexOf(thread), 1)
      all.delete(thread)
      retire(thread)
    }, idleMs).unref()
  }

  /** Ends a thread that has done its work; the next read starts a fresh one. */
  const retire = (thread: Thread): void => {
    const late = setTimeout(() => void thread.worker.terminate(), CLOSE_MS).unref()
    const ended = thread.calls
      .call({ close: true })
      .catch(() => {})
      .then(() => thread.worker.terminate())
      .finally(() => clearTimeout(late))
    retiring.add(ended)
    void ended.finally(() => {
      retiring.delete(ended)
      if (!closing) next()
    })
  }

  return {
    run: async (name, viewer, args, signal, resumed) => {
      if (signal?.aborted) throw new Busy('the client went away')
      if (!resumed && turns.waiting() >= MAX_WAITING_JOBS) throw new Busy('too many reads are waiting')
      const { promise, resolve, reject } = Promise.withResolvers<LongReadStep | null>()
      const job: Job = { call: { name, viewer, args: args as never, resumed }, resolve, reject }
      const taker = callerOf(viewer)
      turns.enter(taker, job, resumed === null)
      const leave = (): void => {
        // One that waits gives its place up; one that runs goes on, since a thread cannot be interrupted.
        turns.leave(taker, job)
        reject(new Busy('the client went away'))
        // One that is the only caller left may have more threads than before.
        next()
      }
      signal?.addEventListener('abort', leave)
      next()
      return promise.finally(() => signal?.removeEventListener('abort', leave))
    },
    close: async () => {
      closing = true
      for (const { idle } of free) clearTimeout(idle)
      for (const { reject } of turns.clear()) reject(new Busy('the service is closing'))
      // A thread at work cannot answer before it is done: nobody waits for what it does any more.
      await Promise.allSettled(free.map(({ calls }) => calls.call({ close: true })))
      await Promise.allSettled([...all].map(({ worker }) => worker.terminate()))
      await Promise.allSettled(retiring)
    },
  }
}
