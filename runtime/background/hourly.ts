import type { Logger } from 'pino'

const HOUR_MS = 3_600_000

/** Delay from the start to the first pass, so that it does not compete with the first requests. */
const FIRST_PASS_MS = 5_000

/** One hourly task. Returns the fields to log, or null if there was nothing to do. */
export type HourlyTask = {
  readonly name: string
  readonly run: (signal: AbortSignal) => Promise<Readonly<Record<string, unknown>> | null>
}

export type Schedule = (ms: number, work: () => void) => () => void

export type RetentionOptions = {
  readonly logger: Logger
  /** In the order in which they run. */
  readonly tasks: readonly HourlyTask[]
  /** Calls `work` after `ms` milliseconds. Returns a function that cancels it. */
  readonly schedule?: Schedule
}

/**
 * Runs the tasks one after the other, shortly after the start and then an hour after the end of each pass. A task that
 * fails is logged and runs again in the next pass; the others still run. Returns a function that stops the schedule.
 * Its promise settles when the running task has ended.
 */
export const startHourlyTasks = ({ logger, tasks, schedule = setTimer }: RetentionOptions): (() => Promise<void>) => {
  const stopping = new AbortController()
  let passing = Promise.resolve()
  let cancel = (): void => {}

  const pass = async (): Promise<void> => {
    for (const { name, run } of tasks) {
      if (stopping.signal.aborted) return
      try {
        const fields = await run(stopping.signal)
        if (fields) logger.info({ task: name, ...fields }, 'retention')
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
  scheduleNext(FIRST_PASS_MS)

  return async () => {
    stopping.abort()
    cancel()
    await passing
  }
}

const setTimer: Schedule = (ms, work) => {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}
