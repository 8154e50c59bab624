import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inOrder } from '../../../engine/runner/in-order.ts'

describe('work in the order of its items', () => {
  it('returns results in order, whatever finishes first, and keeps to the concurrency', () =>
    fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.nat(12),
        fc.integer({ min: 0, max: 5 }),
        async (scheduler, count, concurrency) => {
          let running = 0
          let most = 0
          const started: number[] = []
          const items = Array.from({ length: count }, (_, index) => index)
          const work = inOrder(
            items,
            concurrency,
            async (item) => {
              started.push(item)
              most = Math.max(most, ++running)
              await scheduler.schedule(Promise.resolve())
              running--
              return item * 2
            },
            () => false,
          )
          expect(await scheduler.waitFor(work)).toEqual(items.map((item) => item * 2))
          expect(started).toEqual(items)
          expect(most).toBe(Math.min(count, Math.max(1, concurrency)))
        },
      ),
    ))

  it('starts nothing more once it is stopped', async () =>
    expect(await inOrder([0, 1, 2], 1, async (item) => item, stopAfter(2))).toEqual([0, 1, undefined]))

  it('waits for started work before it throws', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let finished = false
    const work = inOrder(
      ['broken', 'slow', 'never started'],
      2,
      async (item) => {
        if (item === 'broken') throw new Error('broken')
        await promise
        finished = true
        return item
      },
      () => false,
    )
    resolve()
    await expect(work).rejects.toThrow('broken')
    expect(finished).toBe(true)
  })
})

const stopAfter = (starts: number) => {
  let asked = 0
  return () => asked++ >= starts
}
