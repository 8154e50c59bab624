import type { Command } from 'commander'
import { printable, printableLines } from '../../domain/text/printable.ts'
import { paintOf } from '../../engine/report/paint.ts'
import { runCommand, runsCommandNamed, withServerOptions } from './command.ts'
import { localRows, remoteRows, type RunRow } from './listing.ts'
import { requiredServer, type ServerUrlOptions } from '../client/engine-server.ts'
import type { GlobalOptions } from '../suite/global-options.ts'
import { usesColour } from '../terminal/colour.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { wholeNumber } from '../terminal/option-values.ts'

type RunsOptions = GlobalOptions &
  ServerUrlOptions & {
    readonly number: number
    readonly suite?: string
    readonly remote?: boolean
    readonly json?: boolean
  }

export const runsCommand = (): Command => {
  const command = runsCommandNamed('runs')
    .option('-n, --number <n>', 'how many runs at most', wholeNumber(1), 20)
    .option('--suite <suite>', 'only runs of this suite')
    .option('--remote', 'the runs of the service instead of the local ones')
    .option('--json', 'as a JSON array')
  return withServerOptions(command)
    .addHelpText(
      'after',
      '\nExit code 0: printed; 2: --remote without a service, or wrong options; 3: the service did not answer.',
    )
    .action((options: RunsOptions) =>
      runCommand(options, async ({ signal, store }) => {
        const { number, suite, remote = false, json = false } = options
        const rows = remote
          ? await remoteRows(requiredServer(options, process.env, signal), suite, number)
          : await localRows(store, suite, number)
        const isColoured = usesColour(options, process.env, process.stdout.isTTY)
        await writeStdout(json ? `${printableLines(JSON.stringify(rows, null, 2))}\n` : rowsText(rows, isColoured))
        return 0
      }),
    )
}

const HEAD = ['run', 'suite', 'finished', 'passed', 'branch'] as const

/** The runs as a table: a star follows the id of the latest one. */
const rowsText = (rows: readonly RunRow[], isColoured: boolean): string => {
  const cells = rows.map(({ run_id, latest, project, suite, finished_at, summary, git, interrupted }) =>
    [
      `${run_id}${latest ? ' *' : ''}`,
      [project, suite].filter((name) => name !== null).join('/') || '-',
      `${finished_at.slice(0, 16).replace('T', ' ')} UTC`,
      `${summary.passed}/${summary.total}${interrupted ? ', interrupted' : ''}`,
      git?.branch ?? '-',
    ].map(printable),
  )
  const widths = HEAD.map((name, index) =>
    cells.reduce((width, row) => Math.max(width, row[index]?.length ?? 0), name.length),
  )
  const line = (row: readonly string[]): string =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  return [paintOf(isColoured)('strong', line(HEAD)), ...cells.map(line)].map((text) => `${text}\n`).join('')
}
