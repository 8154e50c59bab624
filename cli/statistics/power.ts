import { Command } from 'commander'
import { pairsNeeded, smallestDifference } from '../../domain/statistics/planning.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { writeStdout } from '../terminal/stdout.ts'

type Options = { readonly pairs?: string; readonly discordance: string; readonly delta?: string }

const EXIT_TOO_FEW = 1

export const powerCommand = (): Command =>
  withUsageExit(new Command('power'))
    .requiredOption('--discordance <share>', 'share of cases whose verdict differs between two runs: 0.1 or 10%')
    .option('--pairs <n>', 'cases that both runs have: prints the smallest difference they can show')
    .option('--delta <share>', 'difference of the pass rates: prints the cases that it needs')
    .addHelpText(
      'after',
      '\nFor the exact paired test at 0.05, two-sided, with a power of about 0.8. With both --pairs and --delta, exit code 0: enough cases; 1: too few.',
    )
    .action((options: Options) => exitWith(() => runPower(options)))

/** A share between 0 and 1, also as a percentage. */
const share = (name: string, text: string): number => {
  const isPercentage = text.endsWith('%')
  const value = Number(isPercentage ? text.slice(0, -1) : text) / (isPercentage ? 100 : 1)
  if (!(value > 0 && value <= 1)) throw new UserError(`--${name} must be more than 0 and at most 1 (or 100%): ${text}`)
  return value
}

const whole = (name: string, text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw new UserError(`--${name} must be a whole number from 1: ${text}`)
  return value
}

const points = (value: number): string => `${(100 * value).toFixed(1)} points`

const runPower = async ({
  pairs: pairsText,
  discordance: discordanceText,
  delta: deltaText,
}: Options): Promise<number> => {
  const discordance = share('discordance', discordanceText)
  const pairs = pairsText === undefined ? null : whole('pairs', pairsText)
  const delta = deltaText === undefined ? null : share('delta', deltaText)
  if (pairs === null && delta === null) throw new UserError('give --pairs or --delta')
  if (delta !== null && delta > discordance)
    throw new UserError(
      '--delta is more than --discordance: pass rates differ by at most the cases whose verdict differs',
    )

  const needed = delta === null ? null : pairsNeeded(delta, discordance)
  const lines: string[] = []
  if (pairs !== null) {
    const smallest = smallestDifference(pairs, discordance)
    lines.push(
      smallest === null
        ? `${pairs} pairs are too few to show any difference, even if all changed cases change the same way`
        : `${pairs} pairs show a difference of about ${points(smallest)} or more`,
    )
  }
  if (delta !== null && needed !== null) lines.push(`a difference of ${points(delta)} needs about ${needed} pairs`)
  await writeStdout(lines.map((line) => `${line}\n`).join(''))
  return pairs !== null && needed !== null && pairs < needed ? EXIT_TOO_FEW : 0
}
