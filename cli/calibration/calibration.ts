import { Option, type Command } from 'commander'
import { counted } from '../../domain/plain/counted.ts'
import { printableLines } from '../../domain/text/printable.ts'
import { requiredServer, type ServerUrlOptions } from '../client/engine-server.ts'
import { runCommand, runsCommandNamed, withServerOptions } from '../runs/command.ts'
import { resolveRunId } from '../runs/run-id.ts'
import type { GlobalOptions } from '../suite/global-options.ts'
import { writeStdout } from '../terminal/stdout.ts'
import {
  readCalibration,
  readComparedCalibration,
  type Calibration,
  type CalibrationOptions,
  type Interval,
} from './read-calibration.ts'

type Options = GlobalOptions &
  ServerUrlOptions &
  CalibrationOptions & { readonly against?: string; readonly json?: boolean }

export const calibrationCommand = (): Command => {
  const command = runsCommandNamed('calibration')
    .argument('<run>', 'a run of the service: latest, a file, a folder with result.json, or the id of a run')
    .option('--against <run>', 'the id of a run: the difference to it, corrected by labels of people')
    .option('--metric <name>', 'the metric whose judge is meant')
    .addOption(new Option('--target <target>', 'what people judge').choices(['case', 'metric']))
    .option('--cluster-by <group>', 'cases that depend on each other: test, tag:<prefix> or var:<name>')
    .option('--as-of <size>', 'only what was recorded when the log had this size')
    .option('--json', 'print the answer of the service as JSON')
  return withServerOptions(command)
    .addHelpText(
      'after',
      '\nExit code 0: printed, whatever it says; 2: a wrong option, or no such run; 3: the service did not answer.',
    )
    .action((reference: string, options: Options) =>
      runCommand(options, async ({ signal, store }) => {
        const server = requiredServer(options, process.env, signal)
        const id = await resolveRunId(reference, store)
        if (options.against !== undefined) {
          const compared = await readComparedCalibration(server, options.against, id, options)
          await writeStdout(options.json === true ? jsonText(compared) : printableLines(`${compared.sentence}\n`))
          return 0
        }
        const found = await readCalibration(server, id, options)
        await writeStdout(options.json === true ? jsonText(found) : calibrationText(found))
        return 0
      }),
    )
}

const jsonText = (answer: object): string => printableLines(`${JSON.stringify(answer, null, 2)}\n`)

const percent = ({ estimate, lower, upper }: Interval): string => {
  const text = (share: number): string => `${(100 * share).toFixed(1)}%`
  return `${text(estimate)} (${text(lower)} to ${text(upper)})`
}
const coefficient = ({ estimate, lower, upper }: Interval): string =>
  `${estimate.toFixed(2)} (${lower.toFixed(2)} to ${upper.toFixed(2)})`

/** A calibration as lines for a terminal. */
const calibrationText = ({ target, metric, state, reasons, sentence, judge, people, plans }: Calibration): string => {
  const [plan] = plans.filter(({ more }) => more !== null)
  const lines = [
    `${target === 'case' ? 'whole cases' : `metric ${metric ?? ''}`}: ${state}`,
    sentence,
    ...reasons.slice(1).map(({ text }) => `also: ${text}`),
    ...(judge
      ? [
          `judge and people: AC1 ${coefficient(judge.ac1)}, kappa ${coefficient(judge.kappa)}`,
          `of what people pass, the judge passes ${percent(judge.sensitivity)}; of what they fail, it fails ${percent(judge.specificity)}`,
        ]
      : []),
    ...(people.ac1
      ? [`people among themselves: AC1 ${coefficient(people.ac1)} over ${counted(people.items, 'case')}`]
      : []),
    ...(plan?.more
      ? [
          `next queue, for ±${(100 * plan.half_width).toFixed(1)} points: ${plan.more.passed} more labels of cases that the judge passed, ${plan.more.failed} of cases that it failed`,
        ]
      : []),
  ]
  return printableLines(lines.map((line) => `${line}\n`).join(''))
}
