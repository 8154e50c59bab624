import { Option } from 'commander'
import { LOG_FORMATS, createLog, levelOf } from '../terminal/log.ts'
import type { Log, LogFormat } from '../terminal/log.ts'

const COLOUR_MODES = ['auto', 'always', 'never'] as const
type ColourMode = (typeof COLOUR_MODES)[number]

export type GlobalOptions = {
  readonly verbose: number
  readonly logFormat?: LogFormat
  readonly color?: ColourMode
}

/** The options that all commands for suites and their runs share. */
export const globalOptions = (): readonly Option[] => [
  new Option('-v, --verbose', 'show more on stderr: -v info, -vv debug, -vvv everything')
    .argParser((_: string | undefined, previous: number) => previous + 1)
    .default(0, 'warnings'),
  new Option('--log-format <format>', 'how lines on stderr look (default SERVICE_LOG_FORMAT, else auto)').choices(
    LOG_FORMATS,
  ),
  new Option('--color <when>', 'colours on stdout (default auto: on a terminal; NO_COLOR, CLICOLOR_FORCE)').choices(
    COLOUR_MODES,
  ),
]

type Stream = { readonly isTTY?: boolean; readonly write: (text: string) => unknown }

/** The terminal of a command. Specs replace it. */
export type Terminal = {
  readonly stdout: Pick<Stream, 'isTTY'>
  readonly stderr: Stream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => number
}

/** Whether a stream gets colours: the flag, else CLICOLOR_FORCE, else NO_COLOR, else whether it is a terminal. */
export const hasColours = (
  mode: ColourMode | undefined,
  env: Terminal['env'],
  { isTTY = false }: { readonly isTTY?: boolean },
): boolean => {
  if (mode === 'always' || mode === 'never') return mode === 'always'
  const forced = env['CLICOLOR_FORCE']
  if (forced !== undefined && forced !== '' && forced !== '0') return true
  return env['NO_COLOR'] === undefined && isTTY
}

/** The log of a command, on stderr. A bad value of SERVICE_LOG_FORMAT is noted and ignored. */
export const logOf = ({ verbose, logFormat, color }: GlobalOptions, { stderr, env, now }: Terminal): Log => {
  const fromEnv = env['SERVICE_LOG_FORMAT']
  const known = LOG_FORMATS.find((format) => format === fromEnv)
  const log = createLog({
    level: levelOf(verbose),
    format: logFormat ?? known ?? 'auto',
    isTerminal: stderr.isTTY === true,
    isColoured: hasColours(color, env, stderr),
    now,
    write: (line) => void stderr.write(line),
  })
  if (logFormat === undefined && fromEnv !== undefined && fromEnv !== '' && known === undefined)
    log.warn(`SERVICE_LOG_FORMAT is \`${fromEnv}\`, which is ignored; accepted are ${LOG_FORMATS.join(', ')}`)
  return log
}
