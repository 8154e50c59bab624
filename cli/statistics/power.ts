import { Command } from 'commander'
import { counted } from '../../domain/plain/counted.ts'
import {
  expectedHalfWidth,
  labelsByVerdict,
  labelsNeeded,
  pairsNeeded,
  smallestDifference,
} from '../../domain/statistics/planning.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { writeStdout } from '../terminal/stdout.ts'

type Options = {
  readonly pairs?: string
  readonly discordance?: string
  readonly delta?: string
  readonly labels?: string | true
  readonly cases?: string
  readonly passRate?: string
  readonly halfWidth?: string
  readonly labelledPassed?: string
  readonly labelledFailed?: string
}

const EXIT_TOO_FEW = 1

export const powerCommand = (): Command =>
  withUsageExit(new Command('power'))
    .option('--discordance <share>', 'share of cases whose verdict differs between two runs: 0.1 or 10%')
    .option('--pairs <n>', 'cases that both runs have: prints the smallest difference they can show')
    .option('--delta <share>', 'difference of the pass rates: prints the cases that it needs')
    .option(
      '--labels [n]',
      'plan labels by people of cases that a judge judged; with a number: how well these show its pass rate',
    )
    .option('--cases <n>', 'with --labels: cases of the run')
    .option('--pass-rate <share>', 'with --labels: share of them that the judge passes')
    .option(
      '--half-width <share>',
      'with --labels: half the width of the interval that is wanted: prints the labels that it needs',
    )
    .option(
      '--labelled-passed <x/n>',
      'with --labels: of n cases that the judge passed and people labelled, people pass x',
    )
    .option('--labelled-failed <x/n>', 'with --labels: the same of cases that the judge failed')
    .addHelpText(
      'after',
      '\nPairs are for the exact paired test at 0.05, two-sided, with a power of about 0.8. Labels are for the calibrated pass rate of one run, 95% interval, for cases that do not depend on each other. With both a number and what it is for (--pairs and --delta, --labels N and --half-width), exit code 0: enough; 1: too few.',
    )
    .action((options: Options) =>
      exitWith(() => (options.labels === undefined ? runPower(options) : runLabels(options))),
    )

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

const LABEL_OPTIONS = [
  ['cases', '--cases'],
  ['passRate', '--pass-rate'],
  ['halfWidth', '--half-width'],
  ['labelledPassed', '--labelled-passed'],
  ['labelledFailed', '--labelled-failed'],
] as const
const PAIR_OPTIONS = [
  ['pairs', '--pairs'],
  ['discordance', '--discordance'],
  ['delta', '--delta'],
] as const

const runPower = async ({
  pairs: pairsText,
  discordance: discordanceText,
  delta: deltaText,
  ...others
}: Options): Promise<number> => {
  const [other] = LABEL_OPTIONS.filter(([name]) => others[name] !== undefined)
  if (other) throw new UserError(`${other[1]} needs --labels`)
  if (discordanceText === undefined) throw new UserError("required option '--discordance <share>' not specified")
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

/** Cases with labels, and how many of them people pass: `45/50`. */
const labelled = (name: string, text: string | undefined): { readonly x: number; readonly m: number } => {
  if (text === undefined) return { x: 0, m: 0 }
  const [, x, m] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? []
  if (x === undefined || m === undefined || Number(x) > Number(m))
    throw new UserError(`--${name} must be two whole numbers, such as 45/50: ${text}`)
  return { x: Number(x), m: Number(m) }
}

const needed = (name: string, text: string | undefined): string => {
  if (text === undefined) throw new UserError(`--labels needs --${name}`)
  return text
}

const runLabels = async (options: Options): Promise<number> => {
  const [other] = PAIR_OPTIONS.filter(([name]) => options[name] !== undefined)
  if (other) throw new UserError(`${other[1]} cannot be used with --labels`)
  if (options.labels === true && options.halfWidth === undefined)
    throw new UserError('give --half-width, or a number with --labels')
  const n = whole('cases', needed('cases', options.cases))
  const given = options.labels === true || options.labels === undefined ? null : whole('labels', options.labels)
  if (given !== null && given > n) throw new UserError(`--labels is more than --cases: ${given}`)
  const wanted = options.halfWidth === undefined ? null : share('half-width', options.halfWidth)
  const passed = Math.round(n * share('pass-rate', needed('pass-rate', options.passRate)))
  const run = { passed, failed: n - passed }
  const planned = { n, w: passed / n }
  const [ofPassed, ofFailed] = [
    labelled('labelled-passed', options.labelledPassed),
    labelled('labelled-failed', options.labelledFailed),
  ]
  const labels = { x1: ofPassed.x, m1: ofPassed.m, x0: ofFailed.x, m0: ofFailed.m }
  const lines: string[] = []
  let isEnough = true
  if (given !== null) {
    // The shares of the verdicts do not depend on the half width.
    const { share_passed } = labelsNeeded(labels, planned, 1)
    const best = Math.min(run.passed, Math.max(given - run.failed, Math.round(given * share_passed)))
    const split = { passed: best, failed: given - best }
    const width = expectedHalfWidth(labels, planned, split)
    lines.push(
      width === null
        ? `${counted(given, 'label')} cannot be shared between the verdicts`
        : `${counted(given, 'label')} show the pass rate to about ±${points(width)}: ${shared(split)}`,
    )
    if (wanted !== null) isEnough = width !== null && width <= wanted
  }
  if (wanted !== null) {
    const needs = labelsByVerdict(labels, run, wanted)
    const { run_half_width } = labelsNeeded(labels, planned, wanted)
    lines.push(
      needs === null
        ? `±${points(wanted)} cannot be reached in this run${run_half_width >= wanted ? `: its ${n} cases alone leave ±${points(run_half_width)}` : ': it needs more labels than there are cases'}`
        : `±${points(wanted)} needs about ${counted(needs.passed + needs.failed, 'label')}: ${shared(needs)}`,
    )
  }
  await writeStdout(lines.map((line) => `${line}\n`).join(''))
  return isEnough ? 0 : EXIT_TOO_FEW
}

const shared = ({ passed, failed }: { readonly passed: number; readonly failed: number }): string =>
  `${passed} of cases that the judge passed, ${failed} of cases that it failed`
