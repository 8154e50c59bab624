import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BASELINES, projectTag, RUNS, setTag, type Invalidated } from '../../commands/tags.ts'
import { followLog } from '../../runtime/follow-log.ts'
import { Unavailable } from '../../storage/errors.ts'
import type { LogRecord } from '../../storage/log/records.ts'
import type { Query } from '../../storage/storage.ts'

/** A log whose reads the spec controls: each sees what was committed when it started, and settles on demand. */
const aLog = (from = 0) => {
  let committed = from
  let reads = 0
  const running: Array<{ readonly n: number; readonly answer: () => void; readonly fail: () => void }> = []
  const positions: number[] = []
  const read = <T>({ token, shape }: Query<T>): Promise<T> => {
    const size = committed
    const [after, limit] = (token?.values ?? []) as number[]
    const answered = Promise.withResolvers<T>()
    const rows = (): unknown[] => {
      if (after === undefined || limit === undefined) return [{ size, removals: 0 }]
      return Array.from({ length: Math.min(size - after, limit) }, (_, i): LogRecord => ({
        ...erased,
        seq: after + i + 1,
      }))
    }
    running.push({
      n: ++reads,
      answer: () => answered.resolve(shape(rows())),
      fail: () => answered.reject(new Unavailable('away')),
    })
    return answered.promise
  }
  const follow = followLog({ reader: { read }, from, onInvalidated: (_tags, position) => positions.push(position) })
  return {
    follow,
    running,
    positions,
    commit: (count: number) => (committed += count),
    committed: () => committed,
    reads: () => reads,
  }
}

const erased = {
  recorded_at: 0,
  type: 'RunDeleted',
  commitment: Buffer.alloc(32),
  leaf: Buffer.alloc(32),
  stream: null,
  version: null,
  salt: null,
  body: null,
}

/** Lets all pending callbacks run. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('following the log', () => {
  it('waits for a read that starts after the call; all calls during one read share the next read', async () => {
    const { follow, running, commit, reads } = aLog()
    const order: string[] = []
    const call = (name: string) => follow.caughtUp().then(() => order.push(name))
    const first = call('first')
    commit(3)
    const others = [call('second'), call('third')]
    expect(reads()).toBe(1)
    running.shift()?.answer()
    await first
    expect([order, follow.position()]).toEqual([['first'], 0])
    await settled()
    expect(reads()).toBe(2)
    running.shift()?.answer()
    await settled()
    // Records are read only if there are new ones.
    running.shift()?.answer()
    await Promise.all(others)
    expect([order, follow.position(), reads()]).toEqual([['first', 'second', 'third'], 3, 3])
  })

  it('rejects the calls that waited for a failed read, and no others', async () => {
    const { follow, running, commit } = aLog()
    const first = follow.caughtUp()
    commit(1)
    const second = follow.caughtUp()
    running.shift()?.fail()
    await expect(first).rejects.toThrow(Unavailable)
    await settled()
    running.shift()?.answer()
    await settled()
    running.shift()?.answer()
    await second
    expect(follow.position()).toBe(1)
  })

  it('reports the invalidated tags, or null for everything if a body is erased or records are too many', async () => {
    const data = { project: 'chat', run_id: 'r', suite: 'smoke' }
    const body = JSON.stringify({ actor: {}, data, request_id: null, stream: 'baseline/chat/smoke', version: 1 })
    const pinned = { ...erased, type: 'BaselinePinned', stream: 'baseline/chat/smoke', version: 1, body }
    const invalidated: Array<readonly Invalidated[] | null> = []
    const rowsThen = [
      [{ size: 1, removals: 0 }],
      [{ ...pinned, seq: 1 }],
      [{ size: 3, removals: 0 }],
      [
        { ...pinned, seq: 2 },
        { ...erased, seq: 3 },
      ],
      [{ size: 3, removals: 0 }],
      [{ size: 9_000, removals: 0 }],
    ]
    const read = async <T>({ shape }: Query<T>): Promise<T> => shape(rowsThen.shift() ?? [])
    const follow = followLog({ reader: { read }, from: 0, onInvalidated: (tags) => invalidated.push(tags) })
    for (let n = 0; n < 4; n++) await follow.caughtUp()
    const suite = { project: 'chat', suite: 'smoke' }
    expect(invalidated).toEqual([
      [{ ...suite, names: [BASELINES, projectTag('chat'), setTag(suite)].map(({ name }) => name) }],
      null,
      null,
    ])
    expect(follow.position()).toBe(9_000)
  })

  it('reports the tags of thousands of records, and reads 500 at a time', async () => {
    const body = (seq: number) =>
      JSON.stringify({
        actor: {},
        data: { project: 'chat', suite: 'smoke' },
        request_id: null,
        stream: `run/${seq % 2}`,
        version: 1,
      })
    const invalidated: Array<readonly Invalidated[] | null> = []
    const limits: number[] = []
    const read = async <T>({ token, shape }: Query<T>): Promise<T> => {
      const [after, limit] = (token?.values ?? []) as number[]
      if (after === undefined || limit === undefined) return shape([{ size: 4_200, removals: 0 }])
      limits.push(limit)
      return shape(
        Array.from({ length: limit }, (_, i) => ({
          ...erased,
          seq: after + i + 1,
          stream: 'run/0',
          version: 1,
          body: body(after + i),
        })),
      )
    }
    const follow = followLog({ reader: { read }, from: 0, onInvalidated: (tags) => invalidated.push(tags) })
    await follow.caughtUp()
    const suite = { project: 'chat', suite: 'smoke' }
    expect(invalidated).toEqual([
      ['run/0', { ...suite, names: [RUNS, projectTag('chat'), setTag(suite)].map(({ name }) => name) }, 'run/1'],
    ])
    expect(limits).toEqual([500, 500, 500, 500, 500, 500, 500, 500, 200])
  })

  it('invalidates everything if the log got shorter, as after a stale failover', async () => {
    const sizes = [9, 4, 4]
    const invalidated: Array<readonly Invalidated[] | null> = []
    const read = async <T>({ shape }: Query<T>): Promise<T> => shape([{ size: sizes.shift() }])
    const follow = followLog({ reader: { read }, from: 9, onInvalidated: (tags) => invalidated.push(tags) })
    for (let n = 0; n < 3; n++) await follow.caughtUp()
    expect([invalidated, follow.position()]).toEqual([[null], 4])
  })

  it('never settles a call until it has seen all commits made before the call, despite failures', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(fc.constantFrom('call', 'call', 'answer', 'answer', 'fail'), fc.integer({ min: 1, max: 250 })),
          { maxLength: 60 },
        ),
        async (steps) => {
          const { follow, running, positions, commit, committed, reads } = aLog(5)
          const failed = new Set<number>()
          const calls: Array<Promise<void>> = []
          for (const step of [...steps, 'end']) {
            if (typeof step === 'number') commit(step)
            else if (step === 'call') {
              const [needed, before] = [committed(), reads()]
              const checked = follow.caughtUp().then(
                () => expect(follow.position()).toBeGreaterThanOrEqual(needed),
                // A call never rejects because of a read that was already running when the call was made.
                () => expect([...failed].some((n) => n > before)).toBe(true),
              )
              calls.push(checked.then(() => undefined))
            } else if (step === 'answer') running.shift()?.answer()
            else if (step === 'fail') {
              const read = running.shift()
              if (read) failed.add(read.n)
              read?.fail()
            }
            await settled()
            // Only one read at a time.
            expect(running.length).toBeLessThanOrEqual(1)
          }
          for (let read = running.shift(); read; read = running.shift()) {
            read.answer()
            await settled()
          }
          await Promise.all(calls)
          expect(positions).toEqual(positions.toSorted((a, b) => a - b))
          expect(new Set(positions).size).toBe(positions.length)
        },
      ),
    ))
})
