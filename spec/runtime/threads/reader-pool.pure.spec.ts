import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AnswerPosition } from '../../../queries/parts.ts'
import { TooManyReads } from '../../../queries/too-many-reads.ts'
import { CLOSE_MS, MAX_WAITING_JOBS, MAX_WARM_MS, readerPool } from '../../../runtime/threads/reader-pool.ts'
import { Busy, Unavailable } from '../../../storage/errors.ts'
import { member } from '../../support/access/viewers.ts'

/**
 * A thread that answers a job when the gate of the job is open. The answer has the id of the thread, and the maximum
 * number of jobs that it ran at once. A job can make the thread exit, fill its memory, or never answer the call to
 * close.
 */
const THREAD = `
  import { parentPort, threadId } from 'node:worker_threads'
  let running = 0
  let maxRunning = 0
  let isDeaf = false
  let asked = null
  parentPort.on('message', async ({ id, name, args: [, , args] }) => {
    if (name === 'close') Atomics.add(asked.closed, 0, 1)
    if (name === 'close') return isDeaf || parentPort.postMessage([{ id, result: null }])
    asked = args
    isDeaf = args.isDeaf
    if (args.exit) process.exit(7)
    if (args.fill) for (const arrays = []; ; ) arrays.push(new Array(1e6).fill(0))
    running++
    maxRunning = Math.max(maxRunning, running)
    const order = Atomics.add(args.started, 0, 1)
    const waiting = Atomics.waitAsync(args.gate, 0, 0)
    if (waiting.async) await waiting.value
    running--
    parentPort.postMessage([{ id, result: { body: JSON.stringify({ job: args.job, thread: threadId, maxRunning, order }), etag: null, isSpent: args.isSpent } }])
  })`

type JobResult = { readonly job: string; readonly thread: number; readonly maxRunning: number; readonly order: number }

const sharedInteger = () => new Int32Array(new SharedArrayBuffer(4))

const openGate = (gate: Int32Array): void => {
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
}

/** Waits until a thread has done something. The polling of vitest would advance the fake clock of the deadlines. */
const until = async (isDone: () => boolean): Promise<void> => {
  while (!isDone()) await new Promise((resolve) => setImmediate(resolve))
}

const closers: Array<() => Promise<void>> = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closers.splice(0)) await close()
})

const aPool = ({
  threads = 1,
  ...times
}: { readonly threads?: number; readonly deadlineMs?: number; readonly idleMs?: number } = {}) => {
  const workers: Worker[] = []
  const ended = new Set<Worker>()
  const fatal: Error[] = []
  const started = sharedInteger()
  const closedCount = sharedInteger()
  const pool = readerPool({
    threads,
    start: () => {
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`), {
        resourceLimits: { maxOldGenerationSizeMb: 32 },
      })
      workers.push(worker)
      worker.once('exit', () => ended.add(worker))
      return worker
    },
    onFatal: (error) => fatal.push(error),
    ...times,
  })
  const run = async (
    job: string,
    gate: Int32Array,
    {
      signal,
      user = 'ann',
      resumed = null,
      isSpent = false,
      isDeaf = false,
    }: {
      readonly signal?: AbortSignal
      readonly user?: string
      readonly resumed?: AnswerPosition | null
      readonly isSpent?: boolean
      readonly isDeaf?: boolean
    } = {},
  ): Promise<JobResult> => {
    const viewer = { ...member, actor: { ...member.actor, user_id: user } }
    const asked = { job, gate, started, closed: closedCount, isSpent, isDeaf } as never
    const answer = await pool.run('config', viewer, asked, signal, resumed)
    return JSON.parse(String(answer?.body)) as JobResult
  }
  const openedGate = sharedInteger()
  openGate(openedGate)
  let closed = false
  const close = async (): Promise<void> => {
    if (closed) return
    closed = true
    await pool.close()
  }
  closers.push(close)
  return {
    pool,
    workers,
    ended,
    fatal,
    run,
    started: () => Atomics.load(started, 0),
    closed: () => Atomics.load(closedCount, 0),
    openedGate,
    close,
  }
}

describe('a pool of reader threads', () => {
  it('runs jobs of one caller one at a time on a thread, in order of arrival', async () => {
    const { run, workers } = aPool()
    const gate = sharedInteger()
    const answers = ['a', 'b', 'c', 'd', 'e'].map((job) => run(job, gate))
    openGate(gate)
    const results = await Promise.all(answers)
    expect(results.map(({ job, order, maxRunning }) => ({ job, order, maxRunning }))).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((job, order) => ({ job, order, maxRunning: 1 })),
    )
    expect(workers).toHaveLength(1)
  })

  it('runs as many jobs at once as it has threads', async () => {
    const { run, started } = aPool({ threads: 2 })
    const gate = sharedInteger()
    const answers = ['a', 'b', 'c'].map((job) => run(job, gate, { user: job }))
    await until(() => started() === 2)
    openGate(gate)
    const results = await Promise.all(answers)
    expect(new Set(results.map(({ thread }) => thread)).size).toBe(2)
    expect([results.every(({ maxRunning }) => maxRunning === 1), results[2]?.order]).toEqual([true, 2])
  })

  it('starts the read of a new caller at once, whatever another caller runs, with two threads', async () => {
    const { run, started, openedGate } = aPool({ threads: 2 })
    const gate = sharedInteger()
    const many = Array.from({ length: 30 }, (_, i) => run(`ann ${i}`, gate))
    await until(() => started() === 1)
    expect((await run('ben', openedGate, { user: 'ben' })).order).toBe(1)
    openGate(gate)
    await Promise.all(many)
  })

  it('never starts a job that is aborted while it waits, and serves the next one', async () => {
    const { run, started, openedGate } = aPool()
    const gate = sharedInteger()
    const client = new AbortController()
    const first = run('first', gate)
    const left = run('left', openedGate, { signal: client.signal })
    const last = run('last', openedGate)
    client.abort()
    await expect(left).rejects.toThrow(Busy)
    openGate(gate)
    expect((await first).order).toBe(0)
    expect((await last).order).toBe(1)
    expect(started()).toBe(2)
  })

  it('serves a new caller next, even if many reads of another caller are waiting', async () => {
    const { run, started } = aPool()
    const gate = sharedInteger()
    const many = Array.from({ length: 33 }, (_, i) => run(`ann ${i}`, gate))
    await until(() => started() === 1)
    await expect(run('one too many', gate)).rejects.toThrow(
      new TooManyReads('too many reads of this caller are waiting: at most 32'),
    )
    const others = [
      run('ben 0', gate, { user: 'ben' }),
      run('cat 0', gate, { user: 'cat' }),
      run('ben 1', gate, { user: 'ben' }),
    ]
    openGate(gate)
    expect((await Promise.all(others)).map(({ order }) => order)).toEqual([2, 3, 5])
    expect((await Promise.all(many)).map(({ order }) => order).slice(0, 4)).toEqual([0, 1, 4, 6])
  })

  it('rejects a job whose client has already disconnected', async () => {
    const { run, started, openedGate } = aPool()
    await expect(run('late', openedGate, { signal: AbortSignal.abort() })).rejects.toThrow(Busy)
    expect((await run('next', openedGate)).order).toBe(0)
    expect(started()).toBe(1)
  })

  it('ends a thread whose job is past its deadline, and replaces it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { run, started, openedGate, workers, ended, fatal } = aPool({ deadlineMs: 1000 })
    const before = await run('before', openedGate)
    const stuck = run('stuck', sharedInteger())
    const waiting = run('waiting', openedGate)
    await until(() => started() === 2)
    vi.advanceTimersByTime(999)
    expect(workers).toHaveLength(1)
    vi.advanceTimersByTime(1)
    await expect(stuck).rejects.toThrow(new Busy('the read took too long'))
    const after = await waiting
    expect(after.thread).not.toBe(before.thread)
    expect(workers).toHaveLength(2)
    await until(() => ended.size === 1)
    expect(ended.has(workers[0]!)).toBe(true)
    expect((await run('later', openedGate)).thread).toBe(after.thread)
    expect(fatal).toEqual([])
  })

  it('cancels the deadline of a job that was answered', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { run, openedGate, workers } = aPool({ deadlineMs: 1000 })
    const { thread } = await run('one', openedGate)
    // The remaining timer is that of the idle thread.
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(5000)
    expect((await run('two', openedGate)).thread).toBe(thread)
    expect(workers).toHaveLength(1)
  })

  it('rejects a job beyond the limit for all callers together, and answers the jobs within it', async () => {
    const { run, openedGate } = aPool()
    const gate = sharedInteger()
    const answers = Array.from({ length: 1 + MAX_WAITING_JOBS }, (_, i) => run(String(i), gate, { user: `user ${i}` }))
    await expect(run('one too many', gate, { user: 'one more' })).rejects.toThrow(
      new Busy('too many reads are waiting'),
    )
    openGate(gate)
    expect((await Promise.all(answers)).map(({ order }) => order)).toEqual(answers.map((_, i) => i))
    expect((await run('again', openedGate)).job).toBe('again')
  })

  it('always accepts a further part of a response that a client has begun to read', async () => {
    const { run, openedGate } = aPool()
    const gate = sharedInteger()
    const answers = Array.from({ length: 33 }, (_, i) => run(String(i), gate))
    await expect(run('one too many', gate)).rejects.toThrow(TooManyReads)
    const part = run('part', openedGate, { resumed: { etag: '"x"', memoryBytes: 0, next: 1 } })
    openGate(gate)
    expect((await part).order).toBe(33)
    await Promise.all(answers)
  })

  it('ends a thread that holds much memory, and one that was idle for a while', async () => {
    const { run, openedGate, ended, workers, fatal } = aPool({ idleMs: 1_000 })
    const first = await run('first', openedGate, { isSpent: true })
    await until(() => ended.size === 1)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const second = await run('second', openedGate)
    expect(second.thread).not.toBe(first.thread)
    vi.advanceTimersByTime(999)
    expect((await run('third', openedGate)).thread).toBe(second.thread)
    vi.advanceTimersByTime(999)
    expect(workers).toHaveLength(2)
    vi.advanceTimersByTime(1)
    await until(() => ended.size === 2)
    expect((await run('fourth', openedGate)).thread).not.toBe(second.thread)
    expect(fatal).toEqual([])
  })

  it('ends a thread that cannot close its connections, and serves the next read', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { run, openedGate, ended, workers, fatal } = aPool({ idleMs: 1_000 })
    const first = await run('first', openedGate, { isDeaf: true })
    vi.advanceTimersByTime(1_000)
    const second = run('second', openedGate)
    vi.advanceTimersByTime(CLOSE_MS - 1)
    expect(workers).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect((await second).thread).not.toBe(first.thread)
    expect(ended.size).toBe(1)
    expect(fatal).toEqual([])
  })

  it('rejects only the read that needs more memory than a thread may have', async () => {
    const { pool, run, openedGate, fatal } = aPool()
    await expect(pool.run('config', member, { fill: true } as never, undefined, null)).rejects.toThrow(
      new Unavailable('the read needs more memory than a thread may have'),
    )
    expect((await run('next', openedGate)).job).toBe('next')
    expect(fatal).toEqual([])
  })

  it('reports a thread that ends unexpectedly, and rejects its job', async () => {
    const { pool, fatal } = aPool({ threads: 2 })
    await expect(pool.run('config', member, { exit: true } as never, undefined, null)).rejects.toThrow(Unavailable)
    expect(fatal.map(({ message }) => message)).toEqual(['a reader thread ended with code 7'])
  })

  it('starts only as many threads as reads need, and ends all of them when closed', async () => {
    const { run, openedGate, close, workers, ended, fatal } = aPool({ threads: 3 })
    await Promise.all(['a', 'b'].map((job) => run(job, openedGate)))
    await close()
    expect(ended.size).toBe(2)
    expect(workers).toHaveLength(2)
    expect(fatal).toEqual([])
  })

  it('lets a busy thread close its connections before it ends it', async () => {
    const { run, started, closed, close, ended, fatal } = aPool({ threads: 2 })
    const stuck = run('stuck', sharedInteger())
    await until(() => started() === 1)
    const [answer] = await Promise.allSettled([stuck, close()])
    expect(answer).toMatchObject({ status: 'rejected', reason: new Unavailable('a worker thread ended') })
    expect([closed(), ended.size, fatal]).toEqual([1, 1, []])
  })

  it('lets reads wait for the thread that warms up, as long as a new one would take to start', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { pool, run, workers, started, openedGate } = aPool({ threads: 2 })
    const gates = [sharedInteger(), sharedInteger()] as const
    const warm = async (job: string, gate: Int32Array) => void (await run(job, gate, { user: 'service' }))

    const first = pool.warm(() => warm('first', gates[0]))
    await until(() => started() === 1)
    const waited = run('waited', openedGate, { user: 'ben' })
    openGate(gates[0])
    await first
    expect([(await waited).order, workers.length]).toEqual([1, 1])

    const second = pool.warm(() => warm('second', gates[1]))
    await until(() => started() === 3)
    const late = run('late', openedGate, { user: 'ben' })
    expect(workers).toHaveLength(1)
    vi.advanceTimersByTime(MAX_WARM_MS)
    expect([(await late).order, workers.length]).toEqual([3, 2])
    openGate(gates[1])
    await second
  })

  it('starts as many threads as before when what warms up has failed', async () => {
    const { pool, run, workers, started } = aPool({ threads: 2 })
    await expect(pool.warm(() => Promise.reject(new Error('unreachable')))).rejects.toThrow('unreachable')
    const gate = sharedInteger()
    const answers = ['a', 'b'].map((job) => run(job, gate, { user: job }))
    await until(() => started() === 2)
    openGate(gate)
    await Promise.all(answers)
    expect(workers).toHaveLength(2)
  })
})
