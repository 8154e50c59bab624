import { readFile } from 'node:fs/promises'
import { Command, Option } from 'commander'
import * as z from 'zod'
import { counted } from '../../domain/plain/counted.ts'
import { EXPORT_FORMATS } from '../../domain/report/export-formats.ts'
import { LABEL_FORMATS } from '../../domain/review/imported.ts'
import { printable, printableLines } from '../../domain/text/printable.ts'
import { UsageError } from '../../engine/json.ts'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { answerParts, checkType, MAX_DOCUMENT_BYTES } from '../client/answer.ts'
import { queryText } from '../client/pages.ts'
import { requiredServer, type ServerUrlOptions } from '../client/engine-server.ts'
import { writeWhole } from '../export/write-file.ts'
import { note, runCommand, runsCommandNamed, withServerOptions } from '../runs/command.ts'
import type { GlobalOptions } from '../suite/global-options.ts'
import { repeated } from '../terminal/option-values.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { readBytesFrom, sendFileTo } from './service.ts'

type ExportOptions = GlobalOptions &
  ServerUrlOptions & { readonly format: 'csv' | 'jsonl' | 'parquet'; readonly output?: string }

export const labelsCommand = (): Command => {
  const labels = withUsageExit(new Command('labels'))
  labels.addCommand(importCommand())
  labels.addCommand(exportCommand())
  return labels
}

type ImportOptions = GlobalOptions &
  ServerUrlOptions & {
    readonly from: string
    readonly rubric: string
    readonly run: string
    readonly metric?: string
    readonly match?: string
    readonly question?: string
    readonly pass?: readonly string[]
    readonly cannotTell?: readonly string[]
    readonly resolve?: string
    readonly randomSample?: boolean
    readonly json?: boolean
  }

const Imported = z.object({
  queue: z.object({ id: z.string(), items: z.number() }).nullable(),
  labels: z.number(),
  repeated: z.number(),
  left_out: z.array(z.object({ reason: z.string(), count: z.number(), first: z.array(z.string()) })),
})
type Imported = z.infer<typeof Imported>

/** What is left out for each reason, in words. A reason of a later service is shown as it is. */
const LEFT_OUT_WORDS: Readonly<Record<string, string>> = {
  not_by_a_person: 'not by a person',
  cancelled: 'cancelled by the person',
  not_submitted: 'not submitted',
  other_question: 'of another question',
  no_answer: 'without an answer',
  unmatched: 'of no case of the run',
  ambiguous: 'of several cases of the run',
  not_judged: 'of cases without a verdict',
  comment: 'comments, because the rubric has no question for one',
  column: 'columns that are not read',
}

const importCommand = (): Command =>
  withServerOptions(
    runsCommandNamed('import')
      .description('record labels that people gave in another tool, as a closed review queue')
      .argument('<file>')
      .addOption(
        new Option(
          '--from <format>',
          'the tool that wrote the file; csv for case,reviewer,answer[,comment,seconds,given_at]',
        )
          .choices(LABEL_FORMATS)
          .makeOptionMandatory(),
      )
      .requiredOption('--rubric <id>', 'the rubric that the labels follow')
      .requiredOption('--run <id>', 'the run whose cases were labelled')
      .option('--metric <name>', 'the judged metric; whole cases if it is not given')
      .option(
        '--match <name>',
        'what names a case in the file: case_key (default), test_id, or a variable of the cases',
      )
      .option('--question <name>', 'the name of the question in the tool')
      .option('--pass <value>', 'for a verdict, a value that passes; all others fail; repeat it for several', repeated)
      .option('--cannot-tell <value>', 'a value that says "cannot tell"; repeat it for several', repeated)
      .addOption(
        new Option('--resolve <how>', 'what decides where labels differ (default majority)').choices([
          'adjudicate',
          'majority',
        ]),
      )
      .option('--random-sample', 'the cases were drawn at random, so the labels may measure the judge')
      .option('--json', 'print the answer as JSON'),
  )
    .addHelpText(
      'after',
      '\nSERVICE_TOKEN is the bearer token, of scope write. Exit code 0: done, or nothing is new; 2: the file cannot be imported as asked; 3: the service failed.',
    )
    .action((file: string, options: ImportOptions) =>
      runCommand(options, async ({ signal }) => {
        const server = requiredServer(options, process.env, signal)
        const { from, rubric, run, metric, match, question, pass, cannotTell, resolve, randomSample } = options
        const query = queryText({
          ...{ from, rubric_id: rubric, run_id: run, target: metric === undefined ? 'case' : 'metric', metric, match },
          ...{ question, pass, cannot_tell: cannotTell, resolve, random_sample: randomSample ? 'true' : undefined },
        })
        const imported = await sendFileTo(server, `/review-queues/import?${query}`, await contentOf(file), Imported)
        if (options.json) await writeStdout(`${JSON.stringify(imported)}\n`)
        else for (const line of linesOf(imported)) await writeStdout(`${printable(line)}\n`)
        return 0
      }),
    )

const contentOf = async (file: string): Promise<Uint8Array<ArrayBuffer>> => {
  try {
    return await readFile(file)
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

const linesOf = ({ queue, labels, repeated: known, left_out }: Imported): string[] => [
  queue === null
    ? `nothing new: ${counted(known, 'label')} of the file ${known === 1 ? 'was' : 'were'} imported before`
    : `queue ${queue.id} with ${counted(labels, 'label')} of ${counted(queue.items, 'case')}`,
  ...(queue !== null && known > 0 ? [`${counted(known, 'label')} imported before`] : []),
  ...left_out.map(
    ({ reason, count, first }) =>
      `left out: ${count} ${LEFT_OUT_WORDS[reason] ?? reason} (${first.slice(0, 3).join('; ')}${count > 3 ? '; …' : ''})`,
  ),
]

const exportCommand = (): Command =>
  withServerOptions(
    runsCommandNamed('export')
      .description('download the labels of a closed review queue, a row a label')
      .argument('<queue-id>')
      .addOption(new Option('--format <format>', 'the format').choices(['csv', 'jsonl', 'parquet']).default('csv'))
      .option('-o, --output <file>', 'the file to write; stdout if it is not given'),
  )
    .addHelpText(
      'after',
      '\nSERVICE_TOKEN is the bearer token, of scope read. Exit code 0: done; 2: there is no such queue, or it is open; 3: the service failed.',
    )
    .action((id: string, { format, output, ...options }: ExportOptions) =>
      runCommand(options, async ({ signal }) => {
        const server = requiredServer(options, process.env, signal)
        const path = `/review-queues/${encodeURIComponent(id)}/export/${format}`
        const bytes = await readBytesFrom(server, path, async (response) => {
          const { contentType } = EXPORT_FORMATS[format]
          checkType(response, new RegExp(`^${contentType.replace(/;.*/, '')}$`), contentType)
          return Buffer.concat(await Array.fromAsync(answerParts(response, { maxBytes: MAX_DOCUMENT_BYTES })))
        })
        if (output === undefined) await writeStdout(format === 'parquet' ? bytes : printableLines(bytes.toString()))
        else {
          await writeWhole([bytes], output, { gzip: false, length: bytes.length, signal })
          note(`wrote ${printable(output)}`)
        }
        return 0
      }),
    )
