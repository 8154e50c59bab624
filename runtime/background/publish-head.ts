import type { Logger } from 'pino'
import type { OpenService } from '../services.ts'

const HOUR_MS = 3_600_000

/**
 * Logs size and root of the event log now and every hour. Stored elsewhere, they pin the history: `ers verify --against
 * SIZE:ROOT` compares with them. Returns a function that stops this.
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
