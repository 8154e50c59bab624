import { Option, type Command } from 'commander'
import { printableLines } from '../../domain/text/printable.ts'
import { UsageError } from '../../engine/json.ts'
import { caseDetail } from '../../engine/report/case-detail.ts'
import { paintOf } from '../../engine/report/paint.ts'
import { RUN_FORMATS, caseLines, runReport, type RunFormat } from '../../engine/report/run-report.ts'
import { failedCases, selectCases } from '../../engine/report/select-cases.ts'
import { resolveRun } from '../../engine/store/resolve-run.ts'
import type { CaseDocument } from '../../engine/runner/run-document.ts'
import { usesColour } from '../terminal/colour.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { runCommand, runsCommandNamed, withGlobalOptions } from './command.ts'
import type { GlobalOptions } from '../suite/global-options.ts'
import { repeated } from '../terminal/option-values.ts'

type ViewOptions = GlobalOptions & {
  readonly format: RunFormat
  readonly failed?: boolean
  readonly case?: readonly string[]
  readonly raw?: boolean
}

export const viewCommand = (): Command =>
  withGlobalOptions(
    runsCommandNamed('view')
      .argument('[run]', 'latest, a file, a folder with result.json, or the id of a stored run', 'latest')
      .addOption(new Option('--format <format>', 'output format').choices(RUN_FORMATS).default('table'))
      .option('--failed', 'only failed, errored and unexpectedly passed cases; totals stay those of the run')
      .option('--case <case>', 'cases in full: by case key or its start, test id, or a part of the name', repeated)
      .option('--raw', 'with --case: also the raw metadata of the provider'),
  )
    .addHelpText('after', '\nExit code 0: printed; 2: the run or the case is not known, or the options are wrong.')
    .action((reference: string, options: ViewOptions) =>
      runCommand(options, async ({ store }) => {
        const { run } = await resolveRun(reference, store)
        const colour = usesColour(options, process.env, process.stdout.isTTY)
        if (options.case === undefined) {
          await writeStdout(runReport(run, options.format, { failed: options.failed ?? false, colour }))
          return 0
        }
        const selected = selectCases(run, options.case)
        await writeStdout(casesReport(options.failed ? failedCases(selected) : selected, options, colour))
        return 0
      }),
    )

const casesReport = (cases: readonly CaseDocument[], { format, raw = false }: ViewOptions, colour: boolean): string => {
  switch (format) {
    case 'table':
      return cases.map((item) => caseDetail(item, { paint: paintOf(colour), raw })).join('\n')
    case 'json':
      return `${printableLines(JSON.stringify(cases, null, 2))}\n`
    case 'jsonl':
      return caseLines(cases)
    case 'junit':
    case 'md':
      throw new UsageError(`--format ${format} cannot be combined with --case; give table, json or jsonl`)
  }
}
