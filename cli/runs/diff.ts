import { Option, type Command } from 'commander'
import type { Column } from '../../domain/lists/column.ts'
import { printableLines } from '../../domain/text/printable.ts'
import { UsageError } from '../../engine/json.ts'
import { comparisonMarkdown } from '../../engine/report/compare-markdown.ts'
import { compareTable } from '../../engine/report/compare-table.ts'
import { compareColumns, compareRuns, comparisonJson, type Comparison } from '../../engine/report/compare.ts'
import { DIFF_CHOICES, type DiffChoice } from '../../engine/report/output-diff.ts'
import { paintOf } from '../../engine/report/paint.ts'
import type { RunDocument } from '../../engine/runner/run-document.ts'
import { findRun, isSameSuite, resolveBaseline, type BaselineContext } from '../../engine/store/baseline.ts'
import { configuredBaselineServer } from '../client/baseline-server.ts'
import type { ServerUrlOptions } from '../client/engine-server.ts'
import type { GlobalOptions } from '../suite/global-options.ts'
import { usesColour } from '../terminal/colour.ts'
import { COLUMN, columnOption } from '../terminal/option-values.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { diffGroups, groupLines, groupMarkdown } from './diff-groups.ts'
import { runCommand, runsCommandNamed, withServerOptions } from './command.ts'

const EXIT_REGRESSION = 1

const FORMATS = ['table', 'json', 'md'] as const

type DiffOptions = GlobalOptions &
  ServerUrlOptions & {
    readonly format: (typeof FORMATS)[number]
    readonly diffs: DiffChoice
    readonly full?: boolean
    readonly configDiff?: boolean
    readonly baseColumn?: Column
    readonly headColumn?: Column
    readonly by?: string
  }

export const diffCommand = (): Command => {
  const command = runsCommandNamed('diff')
    .argument(
      '<base>',
      'the earlier run: a run as for view, the id of a run of the service, or server:baseline, server:branch:<name>, branch:<name>',
    )
    .argument('<head>', 'the later run: a run as for view, or the id of a run of the service')
    .addOption(new Option('--format <format>', 'output format').choices(FORMATS).default('table'))
    .addOption(
      new Option('--diffs <cases>', 'which changed outputs to show line by line')
        .choices(DIFF_CHOICES)
        .default('regressions'),
    )
    .option('--base-column <column>', `compare only this column of the base: ${COLUMN}`, columnOption)
    .option('--head-column <column>', 'compare only this column of the head, which may be the same run', columnOption)
    .option(
      '--by <field>',
      'also group the cases that both have, by a variable such as city or by tag, with the difference of each group',
    )
    .option('--full', 'show these diffs whole')
    .option('--config-diff', 'show how the prompts of the configuration changed')
  return withServerOptions(command)
    .addHelpText('after', '\nExit code 0: no case is newly failing; 1: some are; 2: a run is not known.')
    .action((base: string, head: string, options: DiffOptions) =>
      runCommand(options, async ({ signal, log, store }) => {
        const server = configuredBaselineServer(options, process.env, signal)
        const newer = await findRun(head, { store, server })
        const older = await baseRun(base, { run: newer, store, server })
        if (!isSameSuite(older, newer)) log.warn('the runs are of different suites')
        const { baseColumn, headColumn } = options
        const comparison =
          baseColumn || headColumn
            ? compareColumns(older, newer, { base: baseColumn, head: headColumn })
            : compareRuns(older, newer)
        await writeStdout(comparisonText(comparison, options))
        return comparison.summary.newly_failing > 0 ? EXIT_REGRESSION : 0
      }),
    )
}

/** The run of a reference that only baselines have, else of a run reference: `latest` is the last stored run here. */
const baseRun = async (reference: string, context: BaselineContext): Promise<RunDocument> => {
  if (!/^(server:|branch:)/.test(reference)) return findRun(reference, context)
  const baseline = await resolveBaseline(reference, context)
  if (baseline.kind === 'found') return baseline.run
  throw new UsageError(baseline.kind === 'none' ? '`none` names no run' : baseline.reason)
}

const comparisonText = (comparison: Comparison, options: DiffOptions): string => {
  const { format, diffs, full = false, configDiff = false, by } = options
  const groups = by === undefined ? null : diffGroups(comparison, by)
  switch (format) {
    case 'table': {
      const paint = paintOf(usesColour(options, process.env, process.stdout.isTTY))
      const table = compareTable(comparison, { paint, diffs, full, configDiff })
      return groups === null ? table : `${table}${groupLines(groups).join('\n')}\n`
    }
    case 'json':
      return printableLines(comparisonJson(comparison, groups === null ? {} : { groups }))
    case 'md':
      return printableLines(
        `${[
          ...comparisonMarkdown(comparison, { diffs, full, configDiff }),
          ...(groups === null ? [] : [groupMarkdown(groups)]),
        ]
          .map((lines) => lines.join('\n'))
          .join('\n\n')}\n`,
      )
  }
}
