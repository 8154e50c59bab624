import type { Logger } from 'pino'

const HOUR_MS = 3_600_000

/** From the start to the first pass: the first requests after a start go first. */
const FIRST_MS = 5_000

/** One thing that is done each hour; answers what to log, null when nothing was to do. */
export type HourlyTask = {
  readonly name: string
  readonly run: (signal: AbortSignal) => Promise<Readonly<Record<string, unknown>> | null>
}

export type Schedule = (ms: number, work: () => void) => () => void

export type RetentionOptions = {
  readonly logger: Logger
  /** In the order in which they are done. */
  readonly tasks: readonly HourlyTask[]
  /** Calls `work` after so many milliseconds, unless what it answers is called before. */
  readonly schedule?: Schedule
}

/**
 * Does the tasks one after the other, shortly after the start and then every hour, counted from the end of one pass. A
 * task that fails is logged and tried again with the next pass, and keeps no other from being done. What is answered
 * stops it, and settles when the task under way has ended.
 */
export const startRetention = ({ logger, tasks, schedule = later }: RetentionOptions): (() => Promise<void>) => {
  const stopping = new AbortController()
  let passing = Promise.resolve()
  let cancel = (): void => {}

  const pass = async (): Promise<void> => {
    for (const { name, run } of tasks) {
      if (stopping.signal.aborted) return
      try {
        const done = await run(stopping.signal)
        if (done) logger.info({ task: name, ...done }, 'retention')
      } catch (error) {
        logger.error({ err: error, task: name }, 'retention failed; it is tried again in an hour')
      }
    }
  }
  const scheduleNext = (ms: number): void => {
    cancel = schedule(ms, () => {
      passing = pass().then(() => {
        if (!stopping.signal.aborted) scheduleNext(HOUR_MS)
      })
    })
  }
  scheduleNext(FIRST_MS)

  return async () => {
    stopping.abort()
    cancel()
    await passing
  }
}

const later: Schedule = (ms, work) => {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}
