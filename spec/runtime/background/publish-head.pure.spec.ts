import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { logHeadHourly } from '../../../runtime/background/publish-head.ts'

describe('the head of the log', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is logged at once and then hourly until a stop, in the format of `ers verify`', async () => {
    const lines: unknown[] = []
    const logger = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) })
    let size = 0
    const stop = await logHeadHourly(logger, { head: async () => ({ size: ++size, root: 'ab' }) })
    await vi.advanceTimersByTimeAsync(2 * 3_600_000)
    stop()
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(lines).toEqual(
      [1, 2, 3].map((n) => ({ level: 30, size: n, root: 'ab', against: `${n}:ab`, msg: 'log head' })),
    )
  })

  it('is logged again after a failed read', async () => {
    const levels: unknown[] = []
    const logger = pino(
      { base: null },
      { write: (line) => void levels.push((JSON.parse(line) as { level: number }).level) },
    )
    let reads = 0
    const stop = await logHeadHourly(logger, {
      head: async () => {
        if (++reads === 2) throw new Error('busy')
        return { size: reads, root: 'ab' }
      },
    })
    await vi.advanceTimersByTimeAsync(2 * 3_600_000)
    stop()
    expect(levels).toEqual([30, 50, 30])
  })
})
