import { pino } from 'pino'
import type { Logger } from 'pino'
import type { LogFormat, LogLevel } from './config.ts'

type Options = { readonly format: LogFormat | null; readonly level: LogLevel; readonly terminal: boolean }

/** Logs go to stderr: JSON lines off a terminal, readable ones on it, unless a format is asked for. */
export const createLogger = async ({ format, level, terminal }: Options): Promise<Logger> => {
  const chosen = format ?? (terminal ? 'pretty' : 'json')
  const options = { level: level === 'off' ? 'silent' : level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (chosen === 'json') return pino(options, pino.destination({ fd: 2, sync: false }))
  const { default: pretty } = await import('pino-pretty')
  return pino(options, pretty({ destination: 2, singleLine: chosen === 'compact', colorize: terminal, translateTime: 'HH:MM:ss.l' }))
}
