import { pino } from 'pino'
import type { DestinationStream, Logger } from 'pino'
import type { LogFormat, LogLevel } from './config.ts'

/**
 * Lines gather to this much text, or for so long, before they are written: a write each would cost more than a cached
 * answer.
 */
const GATHERED_LENGTH = 8 * 1024
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

type Destination = ReturnType<typeof pino.destination>

/**
 * Gathers lines on the way to a destination that writes at once: nothing is under way when the process ends. What has
 * gathered is written when it is flushed and when the process ends, unless that is killed.
 */
const gathering = (to: Destination): DestinationStream & Pick<Destination, 'flush' | 'flushSync'> => {
  let text = ''
  const handOver = (): void => {
    if (text === '') return
    const gathered = text
    text = ''
    to.write(gathered)
  }
  const flushSync = (): void => {
    handOver()
    to.flushSync()
  }
  setInterval(handOver, GATHERED_MS).unref()
  process.once('exit', flushSync)
  return {
    write: (line) => {
      text += line
      if (text.length >= GATHERED_LENGTH) handOver()
    },
    flush: (done) => {
      handOver()
      to.flush(done)
    },
    flushSync,
  }
}

/** Logs go to stderr: JSON lines off a terminal, readable ones on it, unless a format is asked for. */
export const createLogger = async ({ format, level, terminal }: Options): Promise<Logger> => {
  const chosen = format ?? (terminal ? 'pretty' : 'json')
  const options = { level: level === 'off' ? 'silent' : level, base: null, timestamp: isoTime(Date.now) }
  if (chosen === 'json') return pino(options, gathering(pino.destination({ fd: 2, sync: true })))
  const { default: pretty } = await import('pino-pretty')
  return pino(
    options,
    pretty({ destination: 2, singleLine: chosen === 'compact', colorize: terminal, translateTime: 'HH:MM:ss.l' }),
  )
}
