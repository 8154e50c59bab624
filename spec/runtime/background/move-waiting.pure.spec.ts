import { describe, expect, it } from 'vitest'
import { startMoving } from '../../../runtime/background/move-waiting.ts'
import type { Mover } from '../../../runtime/moves/mover.ts'
import { ObjectsUnavailable, Unavailable } from '../../../storage/errors.ts'

type Batch = Awaited<ReturnType<Mover['moveWaiting']>>
const moved = { moved: 1, lost: 0, failed: [] }

/** The pauses after batches, each of which takes 40 ms, and what was logged. */
const pausesAfter = async (batches: ReadonlyArray<{ readonly batch: () => Batch; readonly uploads?: number }>) => {
  const [pauses, logged]: [number[], unknown[]] = [[], []]
  const ended = Promise.withResolvers<void>()
  let [now, position, n] = [0, 7, 0]
  const stop = startMoving(
    {
      moveWaiting: async () => {
        const next = batches[n++]
        now += 40
        position += next?.uploads ?? 0
        return next?.batch() ?? null
      },
    },
    {
      logger: { error: (fields: unknown) => void logged.push(fields) },
      position: () => position,
      clock: () => now,
      pause: async (ms) => {
        pauses.push(ms)
        if (n < batches.length) return
        ended.resolve()
        await new Promise(setImmediate)
      },
    },
  )
  await ended.promise
  await stop()
  return { pauses: pauses.slice(0, batches.length), logged }
}
const failed = (error: unknown) => () => ({ moved: 0, lost: 0, failed: [{ run_no: 1, error }] })
const thrown = (error: Error) => () => {
  throw error
}

describe('the task that moves documents', () => {
  it('goes on at once, leaves half of the time to uploads, and looks each second while none waits', async () => {
    const { pauses } = await pausesAfter([
      { batch: () => moved },
      { batch: () => moved, uploads: 3 },
      { batch: () => null },
    ])
    expect(pauses).toEqual([0, 40, 1000])
  })

  it('waits while the bucket or the store is away, which others report', async () => {
    const { pauses, logged } = await pausesAfter([
      { batch: failed(new ObjectsUnavailable('away')) },
      { batch: thrown(new Unavailable('away')) },
    ])
    expect([pauses, logged]).toEqual([[10_000, 10_000], []])
  })

  it('reports a document that cannot be moved, and goes on', async () => {
    const err = new Error('not as recorded')
    const { pauses, logged } = await pausesAfter([{ batch: failed(err) }])
    expect([pauses, logged]).toEqual([[0], [{ err, run_no: 1 }]])
  })
})
