import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { startHourlyTasks, type HourlyTask } from '../../../runtime/background/hourly.ts'

/** Timers that the spec fires. */
const timers = () => {
  const waiting: Array<{ readonly ms: number; readonly work: () => void }> = []
  return {
    waiting,
    schedule: (ms: number, work: () => void) => {
      const timer = { ms, work }
      waiting.push(timer)
      return () => void waiting.splice(waiting.indexOf(timer), 1)
    },
    /** Fires the next timer, and waits for the timer that its pass sets. */
    pass: async () => {
      waiting.shift()?.work()
      await expect.poll(() => waiting.length, { interval: 1 }).toBe(1)
    },
  }
}

const setUp = (tasks: readonly HourlyTask[]) => {
  const lines: Array<Record<string, unknown>> = []
  const logger = pino(
    { base: null, timestamp: false },
    { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  )
  const clock = timers()
  return { lines, clock, stop: startHourlyTasks({ logger, tasks, schedule: clock.schedule }) }
}

describe('retention', () => {
  it('runs shortly after the start and then every hour', async () => {
    let passes = 0
    const { clock } = setUp([{ name: 'count', run: async () => (passes++, null) }])
    expect(clock.waiting.map(({ ms }) => ms)).toEqual([5_000])
    await clock.pass()
    expect(passes).toBe(1)
    expect(clock.waiting.map(({ ms }) => ms)).toEqual([3_600_000])
    await clock.pass()
    expect(passes).toBe(2)
  })

  it('runs its tasks one after the other, and logs what they did', async () => {
    const order: string[] = []
    const task = (name: string): HourlyTask => ({
      name,
      run: async () => {
        order.push(`${name} begins`)
        await Promise.resolve()
        order.push(`${name} ends`)
        return name === 'idle' ? null : { removed: 3 }
      },
    })
    const { clock, lines } = setUp([task('cache'), task('idle'), task('runs')])
    await clock.pass()
    expect(order).toEqual(['cache begins', 'cache ends', 'idle begins', 'idle ends', 'runs begins', 'runs ends'])
    expect(lines).toEqual(['cache', 'runs'].map((name) => ({ level: 30, task: name, removed: 3, msg: 'retention' })))
  })

  it('continues after a task that failed', async () => {
    let failures = 0
    const broken: HourlyTask = {
      name: 'broken',
      run: async () => {
        failures++
        throw new Error('busy')
      },
    }
    const { clock, lines } = setUp([broken, { name: 'runs', run: async () => ({ deleted: 1 }) }])
    await clock.pass()
    await clock.pass()
    expect(failures).toBe(2)
    expect(lines.map(({ level, task }) => [level, task])).toEqual([
      [50, 'broken'],
      [30, 'runs'],
      [50, 'broken'],
      [30, 'runs'],
    ])
  })

  it('finishes the running task when it is stopped, and starts no other', async () => {
    const started = Promise.withResolvers<AbortSignal>()
    const finish = Promise.withResolvers<void>()
    let laterDone = false
    const { clock, stop } = setUp([
      {
        name: 'long',
        run: async (signal) => {
          started.resolve(signal)
          await finish.promise
          return null
        },
      },
      { name: 'later', run: async () => ((laterDone = true), null) },
    ])
    clock.waiting.shift()?.work()
    const signal = await started.promise
    let stopped = false
    const stopping = stop().then(() => (stopped = true))
    expect(signal.aborted).toBe(true)
    await Promise.resolve()
    expect(stopped).toBe(false)
    finish.resolve()
    await stopping
    expect(laterDone).toBe(false)
    expect(clock.waiting).toEqual([])
  })

  it('runs nothing if it is stopped before its first pass', async () => {
    const { clock, stop } = setUp([])
    await stop()
    expect(clock.waiting).toEqual([])
  })
})
