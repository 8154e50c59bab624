import { Option } from 'commander'

type When = 'auto' | 'always' | 'never'

/** The option of commands that print colours. */
export const colourOption = (): Option =>
  new Option('--color <when>', 'colours on standard output (auto: NO_COLOR, CLICOLOR_FORCE, else on a terminal)')
    .choices(['auto', 'always', 'never'] satisfies readonly When[])
    .default('auto')

export type ColourOptions = { readonly color: When }

/**
 * Whether to print colours: the option, else CLICOLOR_FORCE (on unless empty or `0`), else NO_COLOR (off if present),
 * else whether the output is a terminal.
 */
export const usesColour = (
  { color }: ColourOptions,
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean => {
  if (color !== 'auto') return color === 'always'
  const force = env['CLICOLOR_FORCE'] ?? ''
  if (force !== '' && force !== '0') return true
  return env['NO_COLOR'] === undefined && isTerminal
}
