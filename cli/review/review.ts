import { Command, InvalidArgumentError, Option } from 'commander'
import * as z from 'zod'
import { counted } from '../../domain/plain/counted.ts'
import { printable } from '../../domain/text/printable.ts'
import { UsageError } from '../../engine/json.ts'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { requiredServer, type ServerUrlOptions } from '../client/engine-server.ts'
import { listPages, queryText } from '../client/pages.ts'
import { runCommand, runsCommandNamed, withServerOptions } from '../runs/command.ts'
import type { GlobalOptions } from '../suite/global-options.ts'
import { repeated } from '../terminal/option-values.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { readFrom, sendTo } from './service.ts'

const HELP =
  '\nSERVICE_TOKEN is the bearer token, of scope write to open and close queues. Exit code 0: done; 2: the service does not accept what is asked; 3: the service failed.'

export const reviewCommand = (): Command => {
  const review = withUsageExit(new Command('review')).addHelpText('after', HELP)
  for (const command of [openCommand(), listCommand(), closeCommand()]) review.addCommand(command)
  return review
}

type Common = GlobalOptions & ServerUrlOptions & { readonly json?: boolean }
type OpenOptions = Common & {
  readonly project: string
  readonly suite: string
  readonly rubric: string
  readonly run: readonly string[]
  readonly reviewer: readonly string[]
  readonly adjudicator?: readonly string[]
  readonly metric?: string
  readonly perItem?: number
  readonly resolve?: string
  readonly random?: number
  readonly passed?: number
  readonly failed?: number
  readonly halfWidth?: number
  readonly nearThreshold?: number
  readonly suspected?: number
  readonly pairs?: number
  readonly seed?: string
  readonly dryRun?: boolean
}

const positive = (text: string): number => {
  const value = Number(text)
  if (!(value >= 0) || text.trim() === '') throw new InvalidArgumentError('It must be a number.')
  return value
}

const Queue = z.object({
  id: z.string(),
  items: z.number(),
  cause: z.string().nullable(),
  closed_at: z.string().nullable(),
})
const Preview = z.object({ items: z.number(), half_width: z.number().nullable(), seed: z.string() })

const openCommand = (): Command =>
  withServerOptions(
    runsCommandNamed('open')
      .description('open a queue: a sample of cases of runs that people label')
      .requiredOption('--project <name>', 'the project')
      .requiredOption('--suite <name>', 'the suite')
      .requiredOption('--rubric <id>', 'the rubric that people decide by')
      .requiredOption('--run <id>', 'a run; repeat the option for several', repeated)
      .requiredOption('--reviewer <name>', 'an account that labels; repeat the option for several', repeated)
      .option(
        '--adjudicator <name>',
        'an account that decides where labels differ; repeat the option for several',
        repeated,
      )
      .option('--metric <name>', 'the judged metric; whole cases if it is not given')
      .option('--per-item <n>', 'labels that each case gets (default 2)', positive)
      .addOption(new Option('--resolve <how>', 'what decides where labels differ').choices(['adjudicate', 'majority']))
      .option('--random <n>', 'take so many of all judged cases', positive)
      .option('--passed <n>', 'take so many cases that the judge passed', positive)
      .option('--failed <n>', 'take so many cases that the judge failed', positive)
      .option('--half-width <share>', 'take as many of each as bring the calibrated rate to this half width', positive)
      .option('--near-threshold <n>', 'take the cases whose score is nearest to the threshold', positive)
      .option('--suspected <n>', 'take cases that people judged otherwise than the judge', positive)
      .option('--pairs <n>', 'for a preference: take tests that two runs share, with different outputs', positive)
      .option('--seed <text>', 'the seed of the sample; the same one gives the same cases')
      .option('--dry-run', 'only count the cases')
      .option('--json', 'print the answer as JSON'),
  )
    .addHelpText('after', HELP)
    .action((options: OpenOptions) =>
      runCommand(options, async ({ signal }) => {
        const server = requiredServer(options, process.env, signal)
        const {
          project,
          suite,
          rubric,
          metric,
          reviewer,
          adjudicator,
          perItem,
          resolve,
          seed,
          dryRun = false,
        } = options
        const body = {
          ...{ project, suite, rubric_id: rubric, target: metric === undefined ? 'case' : 'metric', metric },
          ...{ per_item: perItem, resolve, reviewers: reviewer, adjudicators: adjudicator, seed, dry_run: dryRun },
          selection: selectionOf(options),
        }
        if (dryRun) {
          const preview = await sendTo(server, '/review-queues', body, Preview)
          const width =
            preview.half_width === null ? '' : `, half width ${(100 * preview.half_width).toFixed(1)} points`
          await print(options, preview, `${counted(preview.items, 'case')}${width}, seed ${preview.seed}`)
        } else {
          const queue = await sendTo(server, '/review-queues', body, Queue)
          await print(options, queue, `queue ${queue.id} with ${counted(queue.items, 'case')}`)
        }
        return 0
      }),
    )

const selectionOf = ({
  run: runs,
  random,
  passed,
  failed,
  halfWidth,
  nearThreshold,
  suspected,
  pairs,
}: OpenOptions): object => {
  const selections = [
    ...(random === undefined ? [] : [{ kind: 'random', runs, count: random }]),
    ...(passed === undefined && failed === undefined ? [] : [{ kind: 'by_verdict', runs, passed, failed }]),
    ...(halfWidth === undefined ? [] : [{ kind: 'by_verdict', runs, half_width: halfWidth }]),
    ...(nearThreshold === undefined ? [] : [{ kind: 'near_threshold', runs, count: nearThreshold }]),
    ...(suspected === undefined ? [] : [{ kind: 'suspected', runs, count: suspected }]),
    ...(pairs === undefined ? [] : [{ kind: 'pairs', runs, count: pairs }]),
  ]
  const [selection, ...others] = selections
  if (!selection || others.length > 0)
    throw new UsageError(
      'give one of --random, --passed and --failed, --half-width, --near-threshold, --suspected, --pairs',
    )
  return selection
}

const print = ({ json = false }: Common, answer: object, text: string): Promise<void> =>
  writeStdout(`${printable(json ? JSON.stringify(answer) : text)}\n`)

type ListOptions = Common & {
  readonly project?: string
  readonly suite?: string
  readonly open?: boolean
  readonly closed?: boolean
}

const Listed = z.object({
  queues: z.array(
    Queue.extend({
      project: z.string(),
      suite: z.string(),
      name: z.string(),
      progress: z.object({ given: z.number(), final: z.number().nullable() }).nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
})
type Listed = z.infer<typeof Listed>
const PER_PAGE = 200

const listCommand = (): Command =>
  withServerOptions(
    runsCommandNamed('list')
      .description('list review queues, newest first')
      .option('--project <name>', 'only queues of this project')
      .option('--suite <name>', 'only queues of this suite')
      .option('--open', 'only open ones')
      .addOption(new Option('--closed', 'only closed ones').conflicts('open'))
      .option('--json', 'print each queue as JSON'),
  )
    .addHelpText('after', HELP)
    .action((options: ListOptions) =>
      runCommand(options, async ({ signal }) => {
        const server = requiredServer(options, process.env, signal)
        const { project, suite, open = false, closed = false } = options
        const state = open ? 'open' : closed ? 'closed' : undefined
        const pages = listPages((cursor) =>
          readFrom(server, `/review-queues?${queryText({ limit: PER_PAGE, project, suite, state, cursor })}`, Listed),
        )
        for await (const { queues } of pages) for (const queue of queues) await print(options, queue, lineOf(queue))
        return 0
      }),
    )

const lineOf = ({ id, project, suite, name, items, progress, closed_at }: Listed['queues'][number]): string => {
  const given = progress === null ? '' : `, ${counted(progress.given, 'label')}`
  return `${id} ${project}/${suite} "${name}": ${counted(items, 'case')}${given}, ${closed_at === null ? 'open' : `closed at ${closed_at}`}`
}

const closeCommand = (): Command =>
  withServerOptions(
    runsCommandNamed('close')
      .description('close a queue: its labels are shown then, and no more are given')
      .argument('<queue-id>')
      .option('--json', 'print the answer as JSON'),
  )
    .addHelpText('after', HELP)
    .action((id: string, options: Common) =>
      runCommand(options, async ({ signal }) => {
        const server = requiredServer(options, process.env, signal)
        const queue = await sendTo(server, `/review-queues/${encodeURIComponent(id)}/close`, {}, Queue)
        await print(options, queue, `queue ${queue.id} is closed`)
        return 0
      }),
    )
