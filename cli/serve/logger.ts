import { pino, type DestinationStream, type Logger } from 'pino'
import type { LogFormat, LogLevel } from './config.ts'

/**
 * Lines are buffered up to this length, or for this time, before a write: one write per line would cost more than a
 * cached response.
 */
const BUFFER_LENGTH = 8 * 1024
const BUFFER_MS = 100

type Options = { readonly format: LogFormat | null; readonly level: LogLevel; readonly terminal: boolean }

/** ISO 8601 in pino's format. The text of a second is cached, because there can be thousands of lines in it. */
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
 * Collects lines in a buffer, before they are written to a destination. The destination writes synchronously, so no
 * write is left unfinished when the process ends. A flush and the end of the process also write the buffer, unless the
 * process is killed.
 */
const buffered = (destination: Destination): DestinationStream & Pick<Destination, 'flush' | 'flushSync'> => {
  let text = ''
  const writeBuffer = (): void => {
    if (text === '') return
    const lines = text
    text = ''
    destination.write(lines)
  }
  const flushSync = (): void => {
    writeBuffer()
    destination.flushSync()
  }
  setInterval(writeBuffer, BUFFER_MS).unref()
  process.once('exit', flushSync)
  return {
    write: (line) => {
      text += line
      if (text.length >= BUFFER_LENGTH) writeBuffer()
    },
    flush: (done) => {
      writeBuffer()
      destination.flush(done)
    },
    flushSync,
  }
}

/** Creates a logger to stderr: readable lines on a terminal, else JSON lines, unless a format is given. */
export const createLogger = async ({ format, level, terminal }: Options): Promise<Logger> => {
  const chosenFormat = format ?? (terminal ? 'pretty' : 'json')
  const options = { level: level === 'off' ? 'silent' : level, base: null, timestamp: isoTime(Date.now) }
  if (chosenFormat === 'json') return pino(options, buffered(pino.destination({ fd: 2, sync: true })))
  const { default: pretty } = await import('pino-pretty')
  return pino(
    options,
    pretty({ destination: 2, singleLine: chosenFormat === 'compact', colorize: terminal, translateTime: 'HH:MM:ss.l' }),
  )
}
