import { printable } from '../../domain/text/printable.ts'

const LEVELS = ['error', 'warn', 'info', 'debug', 'trace'] as const
export type LogLevel = (typeof LEVELS)[number]

export const LOG_FORMATS = ['auto', 'pretty', 'compact', 'json'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** Writes lines about what a command does. `fields` are only part of JSON lines. */
export type Log = Readonly<Record<LogLevel, (message: string, fields?: Readonly<Record<string, unknown>>) => void>> & {
  readonly isEnabled: (level: LogLevel) => boolean
}

type LogOptions = {
  readonly level: LogLevel
  readonly format: LogFormat
  readonly isTerminal: boolean
  readonly isColoured: boolean
  /** The wall clock: milliseconds since 1970. */
  readonly now: () => number
  readonly write: (line: string) => void
}

/** SGR parameters (ECMA-48). */
const COLOURS: Readonly<Record<LogLevel, string>> = { error: '31', warn: '33', info: '32', debug: '36', trace: '2' }

/** The level that a number of `-v` asks for: none shows warnings, three everything. */
export const levelOf = (verbosity: number): LogLevel => LEVELS[Math.min(verbosity + 1, LEVELS.length - 1)] ?? 'trace'

/** A log of lines: for people on a terminal (`pretty`), with times (`compact`), or as JSON. */
export const createLog = ({ level, format, isTerminal, isColoured, now, write }: LogOptions): Log => {
  const most = LEVELS.indexOf(level)
  const isEnabled = (asked: LogLevel): boolean => LEVELS.indexOf(asked) <= most
  const style = format === 'auto' ? (isTerminal ? 'pretty' : 'compact') : format
  const name = (of: LogLevel): string => (isColoured ? `\x1b[${COLOURS[of]}m${of}\x1b[0m` : of)
  const line = (of: LogLevel, message: string, fields: Readonly<Record<string, unknown>>): string => {
    const time = new Date(now()).toISOString()
    if (style === 'json') return JSON.stringify({ time, level: of, message, ...fields })
    return style === 'pretty' ? `${name(of)}: ${printable(message)}` : `${time} ${name(of)} ${printable(message)}`
  }
  const at =
    (of: LogLevel): Log[LogLevel] =>
    (message, fields = {}) => {
      if (isEnabled(of)) write(`${line(of, message, fields)}\n`)
    }
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug'), trace: at('trace'), isEnabled }
}
