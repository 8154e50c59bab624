import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BASELINES, projectTag, RUNS, setTag } from '../../commands/tags.ts'
import type { Invalidated } from '../../commands/tags.ts'
import { followLog } from '../../runtime/follow-log.ts'
import { Unavailable } from '../../storage/errors.ts'
import type { LogRecord } from '../../storage/log/records.ts'
import type { Query } from '../../storage/storage.ts'

/**
 * What the log's reader does is left to the specification: each read sees what was committed when it began, and answers
 * when it is told to.
 */
const aLog = (from = 0) => {
  let committed = from
  let reads = 0
  const under: Array<{ readonly n: number; readonly answer: () => void; readonly fail: () => void }> = []
  const told: number[] = []
  const read = <T>({ token, shape }: Query<T>): Promise<T> => {
    const seen = committed
    const [after, limit] = (token?.values ?? []) as number[]
    const answered = Promise.withResolvers<T>()
    const rows = (): unknown[] => {
      if (after === undefined || limit === undefined) return [{ size: seen, removals: 0 }]
      return Array.from({ length: Math.min(seen - after, limit) }, (_, i): LogRecord => ({
        ...erased,
        seq: after + i + 1,
      }))
    }
    under.push({
      n: ++reads,
      answer: () => answered.resolve(shape(rows())),
      fail: () => answered.reject(new Unavailable('away')),
    })
    return answered.promise
  }
  const follow = followLog({ reader: { read }, from, onInvalidated: (_tags, position) => told.push(position) })
  return {
    follow,
    under,
    told,
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

/** Lets everything go on that can. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('following the log', () => {
  it('waits for a read that began after the call, and shares it with all who call meanwhile', async () => {
    const { follow, under, commit, reads } = aLog()
    const order: string[] = []
    const call = (name: string) => follow.caughtUp().then(() => order.push(name))
    const first = call('first')
    commit(3)
    const others = [call('second'), call('third')]
    expect(reads()).toBe(1)
    under.shift()?.answer()
    await first
    expect([order, follow.position()]).toEqual([['first'], 0])
    await settled()
    expect(reads()).toBe(2)
    under.shift()?.answer()
    await settled()
    // What moved is asked only where something did.
    under.shift()?.answer()
    await Promise.all(others)
    expect([order, follow.position(), reads()]).toEqual([['first', 'second', 'third'], 3, 3])
  })

  it('tells a failed read to those who waited for it, and to nobody else', async () => {
    const { follow, under, commit } = aLog()
    const first = follow.caughtUp()
    commit(1)
    const second = follow.caughtUp()
    under.shift()?.fail()
    await expect(first).rejects.toThrow(Unavailable)
    await settled()
    under.shift()?.answer()
    await settled()
    under.shift()?.answer()
    await second
    expect(follow.position()).toBe(1)
  })

  it('says which tags moved, and everything where a body was erased or too much happened to tell apart', async () => {
    const data = { project: 'chat', run_id: 'r', suite: 'smoke' }
    const body = JSON.stringify({ actor: {}, data, request_id: null, stream: 'baseline/chat/smoke', version: 1 })
    const pinned = { ...erased, type: 'BaselinePinned', stream: 'baseline/chat/smoke', version: 1, body }
    const moved: Array<readonly Invalidated[] | null> = []
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
    const follow = followLog({ reader: { read }, from: 0, onInvalidated: (tags) => moved.push(tags) })
    for (let n = 0; n < 4; n++) await follow.caughtUp()
    const suite = { project: 'chat', suite: 'smoke' }
    expect(moved).toEqual([
      [{ ...suite, of: [BASELINES, projectTag('chat'), setTag(suite)].map(({ of }) => of) }],
      null,
      null,
    ])
    expect(follow.position()).toBe(9_000)
  })

  it('says of thousands what moved, and reads them some hundreds at a time', async () => {
    const body = (seq: number) =>
      JSON.stringify({
        actor: {},
        data: { project: 'chat', suite: 'smoke' },
        request_id: null,
        stream: `run/${seq % 2}`,
        version: 1,
      })
    const moved: Array<readonly Invalidated[] | null> = []
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
    const follow = followLog({ reader: { read }, from: 0, onInvalidated: (tags) => moved.push(tags) })
    await follow.caughtUp()
    const suite = { project: 'chat', suite: 'smoke' }
    expect(moved).toEqual([
      ['run/0', { ...suite, of: [RUNS, projectTag('chat'), setTag(suite)].map(({ of }) => of) }, 'run/1'],
    ])
    expect(limits).toEqual([500, 500, 500, 500, 500, 500, 500, 500, 200])
  })

  it('begins anew where the log went back, as after a failover to a copy that lagged', async () => {
    const sizes = [9, 4, 4]
    const moved: Array<readonly Invalidated[] | null> = []
    const read = async <T>({ shape }: Query<T>): Promise<T> => shape([{ size: sizes.shift() }])
    const follow = followLog({ reader: { read }, from: 9, onInvalidated: (tags) => moved.push(tags) })
    for (let n = 0; n < 3; n++) await follow.caughtUp()
    expect([moved, follow.position()]).toEqual([[null], 4])
  })

  it('never lets anyone go on before everything is known that was committed when they came, whatever fails', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(fc.constantFrom('call', 'call', 'answer', 'answer', 'fail'), fc.integer({ min: 1, max: 250 })),
          { maxLength: 60 },
        ),
        async (steps) => {
          const { follow, under, told, commit, committed, reads } = aLog(5)
          const failed = new Set<number>()
          const calls: Array<Promise<void>> = []
          for (const step of [...steps, 'end']) {
            if (typeof step === 'number') commit(step)
            else if (step === 'call') {
              const [needed, before] = [committed(), reads()]
              const checked = follow.caughtUp().then(
                () => expect(follow.position()).toBeGreaterThanOrEqual(needed),
                // A read that was under way when it came is none of its business.
                () => expect([...failed].some((n) => n > before)).toBe(true),
              )
              calls.push(checked.then(() => undefined))
            } else if (step === 'answer') under.shift()?.answer()
            else if (step === 'fail') {
              const read = under.shift()
              if (read) failed.add(read.n)
              read?.fail()
            }
            await settled()
            // One at a time.
            expect(under.length).toBeLessThanOrEqual(1)
          }
          for (let read = under.shift(); read; read = under.shift()) {
            read.answer()
            await settled()
          }
          await Promise.all(calls)
          expect(told).toEqual(told.toSorted((a, b) => a - b))
          expect(new Set(told).size).toBe(told.length)
        },
      ),
    ))
})
