import type { Logger } from 'pino'
import type { OpenService } from '../services.ts'

const HOUR_MS = 3_600_000

/**
 * Logs size and root of the event log now and every hour. With a copy of them elsewhere, `ers verify --against
 * SIZE:ROOT` can detect a changed history. Returns a function that stops the logging.
 */
export const logHeadHourly = async (logger: Logger, { head }: Pick<OpenService, 'head'>): Promise<() => void> => {
  const log = async (): Promise<void> => {
    const { size, root } = await head()
    logger.info({ size, root, against: `${size}:${root}` }, 'log head')
  }
  await log()
  const hourly = setInterval(
    () => void log().catch((error: unknown) => logger.error({ err: error }, 'the log head cannot be read')),
    HOUR_MS,
  )
  return () => clearInterval(hourly)
}
