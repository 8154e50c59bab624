import { Option } from 'commander'
import { colourOption, usesColour, type ColourOptions } from '../terminal/colour.ts'
import { LOG_FORMATS, createLog, levelOf, type Log, type LogFormat } from '../terminal/log.ts'

export type GlobalOptions = ColourOptions & {
  readonly verbose: number
  readonly logFormat?: LogFormat
}

/** The options that all commands for suites and their runs share. */
export const globalOptions = (): readonly Option[] => [
  new Option('-v, --verbose', 'show more on stderr: -v info, -vv debug, -vvv everything')
    .argParser((_: string | undefined, previous: number) => previous + 1)
    .default(0, 'warnings'),
  new Option('--log-format <format>', 'how lines on stderr look (default SERVICE_LOG_FORMAT, else auto)').choices(
    LOG_FORMATS,
  ),
  colourOption(),
]

/** Destination of the log of a command. Specs replace it. */
export type LogTarget = {
  readonly stderr: { readonly isTTY?: boolean; readonly write: (text: string) => unknown }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => number
}

/** The log of a command, on stderr. A bad value of SERVICE_LOG_FORMAT is noted and ignored. */
export const logOf = ({ verbose, logFormat, color }: GlobalOptions, { stderr, env, now }: LogTarget): Log => {
  const fromEnv = env['SERVICE_LOG_FORMAT']
  const known = LOG_FORMATS.find((format) => format === fromEnv)
  const log = createLog({
    level: levelOf(verbose),
    format: logFormat ?? known ?? 'auto',
    isTerminal: stderr.isTTY === true,
    isColoured: usesColour({ color }, env, stderr.isTTY === true),
    now,
    write: (line) => void stderr.write(line),
  })
  if (logFormat === undefined && fromEnv !== undefined && fromEnv !== '' && known === undefined)
    log.warn(`SERVICE_LOG_FORMAT is \`${fromEnv}\`, which is ignored; accepted are ${LOG_FORMATS.join(', ')}`)
  return log
}
