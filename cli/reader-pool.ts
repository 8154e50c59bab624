import type { Worker } from 'node:worker_threads'
import { turnTaker } from '../http/turn-taker.ts'
import type { JobAnswer, JobName } from '../queries/jobs.ts'
import type { Viewer } from '../queries/viewer.ts'
import { Busy } from '../storage/storage.ts'
import { callsTo } from './calls.ts'
import type { Calls } from './calls.ts'
import type { ReaderCall } from './reader.ts'
import { turnsOf } from './turns.ts'
import type { Turn } from './turns.ts'

/** How long one read may take: then its thread is ended and a new one takes its place. */
export const JOB_DEADLINE_MS = 30_000

/** Reads that may wait for a thread; beyond, the next is told to come back. */
export const MOST_WAITING_JOBS = 500

type Job = { readonly call: ReaderCall; readonly resolve: (answer: JobAnswer | null) => void; readonly reject: (error: Error) => void }
type Thread = { readonly worker: Worker; readonly calls: Calls }

export type ReaderPool = {
  /**
   * Runs a read on a thread when its viewer has a turn. One that is aborted while it waits is never begun. Rejects with
   * `TooManyReads` where this viewer has too many waiting, and with `Unavailable` where all viewers together have.
   */
  readonly run: (name: JobName, viewer: Viewer, args: unknown, signal?: AbortSignal) => Promise<JobAnswer | null>
  readonly close: () => Promise<void>
}

type PoolOptions = { readonly threads: number; readonly start: () => Worker; readonly onFatal: (error: Error) => void; readonly deadlineMs?: number }

/**
 * Threads that run one long read each at a time, the callers by turns (`turns.ts`). A thread is started when a read would
 * wait for one: each holds some 30 MiB, which a service without searches need not.
 */
export const readerPool = ({ threads, start, onFatal, deadlineMs = JOB_DEADLINE_MS }: PoolOptions): ReaderPool => {
  const turns = turnsOf<Job>(threads)
  const free: Thread[] = []
  const all = new Set<Thread>()
  let closing = false

  const open = (): Thread => {
    const worker = start()
    const thread: Thread = {
      worker,
      calls: callsTo(worker, {
        onTold: () => {},
        onExit: (error, code) => {
          // One that was ended on purpose is out of the pool already.
          if (all.delete(thread) && !closing) onFatal(error ?? new Error(`a reader thread ended with code ${code}`))
        },
      }),
    }
    all.add(thread)
    return thread
  }

  const next = (): void => {
    while (free.length > 0 || all.size < threads) {
      const turn = turns.next()
      if (!turn) return
      runOn(free.pop() ?? open(), turn)
    }
  }

  const runOn = (thread: Thread, { taker, work: { call, resolve, reject } }: Turn<Job>): void => {
    const late = setTimeout(() => {
      // A thread cannot be interrupted, only ended: a fresh one serves those who wait.
      all.delete(thread)
      turns.done(taker)
      void thread.worker.terminate()
      reject(new Busy('the read took too long'))
      if (!closing) next()
    }, deadlineMs)
    thread.calls
      .call(call)
      .then((answer) => resolve(answer as JobAnswer | null), reject)
      .finally(() => {
        clearTimeout(late)
        if (!all.has(thread)) return
        turns.done(taker)
        free.push(thread)
        next()
      })
  }

  return {
    run: (name, viewer, args, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(new Busy('the client went away'))
        if (turns.waiting() >= MOST_WAITING_JOBS) return reject(new Busy('too many reads are waiting'))
        const job: Job = { call: { name, viewer, args: args as never }, resolve, reject }
        const taker = turnTaker(viewer)
        // What it throws rejects.
        turns.enter(taker, job)
        signal?.addEventListener(
          'abort',
          () => {
            // One that waits gives its place up; one that runs goes on, since a thread cannot be interrupted.
            turns.leave(taker, job)
            reject(new Busy('the client went away'))
            // One that is the only caller left may have more threads than before.
            next()
          },
          { once: true },
        )
        next()
      }),
    close: async () => {
      closing = true
      for (const { reject } of turns.clear()) reject(new Busy('the service is closing'))
      // A thread at work cannot answer before it is done: nobody waits for what it does any more.
      await Promise.allSettled(free.map(({ calls }) => calls.call({ close: true })))
      await Promise.allSettled([...all].map(({ worker }) => worker.terminate()))
    },
  }
}
