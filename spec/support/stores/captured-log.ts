import { Writable } from 'node:stream'
import { pino, type Logger } from 'pino'

export type LogLine = Readonly<Record<string, unknown>>

/** A logger whose lines, from a level on, a spec can read. */
export const capturedLog = (
  level: 'info' | 'warn' = 'info',
): { readonly logger: Logger; readonly lines: readonly LogLine[] } => {
  const lines: LogLine[] = []
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => (lines.push(JSON.parse(chunk.toString()) as LogLine), done()),
  })
  return { logger: pino({ level }, destination), lines }
}
