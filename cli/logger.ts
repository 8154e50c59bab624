import { pino } from 'pino'
import type { Logger } from 'pino'
import type { LogFormat, LogLevel } from './config.ts'

/**
 * Lines gather to this many bytes, or for so long, before they are written: a write each would cost a cached answer more
 * than everything else. Whatever gathered is written when the process ends, unless it is killed.
 */
const GATHERED_BYTES = 12 * 1024
const GATHERED_MS = 100

type Options = { readonly format: LogFormat | null; readonly level: LogLevel; readonly terminal: boolean }

/** ISO 8601 as pino takes it: the text of a second is made once, since there are thousands of lines in one. */
export const isoTime = (now: () => number): (() => string) => {
  let second = Number.NaN
  let text = ''
  return () => {
    const ms = now()
    if (Math.floor(ms / 1000) !== second) {
      second = Math.floor(ms / 1000)
      text = new Date(second * 1000).toISOString().slice(0, -4)
    }
    return `,"time":"${text}${String(ms - second * 1000).padStart(3, '0')}Z"`
  }
}

/** Logs go to stderr: JSON lines off a terminal, readable ones on it, unless a format is asked for. */
export const createLogger = async ({ format, level, terminal }: Options): Promise<Logger> => {
  const chosen = format ?? (terminal ? 'pretty' : 'json')
  const options = { level: level === 'off' ? 'silent' : level, base: null, timestamp: isoTime(Date.now) }
  if (chosen === 'json') return pino(options, pino.destination({ fd: 2, sync: false, minLength: GATHERED_BYTES, periodicFlush: GATHERED_MS }))
  const { default: pretty } = await import('pino-pretty')
  return pino(options, pretty({ destination: 2, singleLine: chosen === 'compact', colorize: terminal, translateTime: 'HH:MM:ss.l' }))
}
