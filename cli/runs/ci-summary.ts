import { appendFile, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { messageOf } from '../../domain/plain/message-of.ts'
import { HarnessError, UsageError } from '../../engine/json.ts'
import { ciOutputs } from '../../engine/report/ci-outputs.ts'
import { compareWithBaseline, noComparison, type Compared } from '../../engine/report/compare-baseline.ts'
import { runMarkdown } from '../../engine/report/markdown.ts'
import { readProvenance } from '../../engine/runner/provenance.ts'
import type { RunDocument } from '../../engine/runner/run-document.ts'
import { resolveRun } from '../../engine/store/resolve-run.ts'
import type { RunStore } from '../../engine/store/run-store.ts'
import { configuredBaselineServer } from '../client/baseline-server.ts'
import type { ServerUrlOptions } from '../client/engine-server.ts'
import { VERSION } from '../version.ts'
import type { GlobalOptions } from '../suite/global-options.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { runCommand, runsCommandNamed, withServerOptions } from './command.ts'

type CiSummaryOptions = GlobalOptions &
  ServerUrlOptions & {
    readonly against?: string
    readonly out?: string
    readonly githubOutput?: string
  }

export const ciSummaryCommand = (): Command => {
  const command = runsCommandNamed('ci-summary')
    .argument('<run>', 'latest, a file, a folder with result.json, or the id of a stored run')
    .option('--against <baseline>', 'compare with a baseline, as in ers run')
    .option('--out <file>', 'write the summary to this file instead of standard output')
    .option('--github-output <file>', 'append the outputs as key=value lines to this file (default GITHUB_OUTPUT)')
  return withServerOptions(command)
    .addHelpText(
      'after',
      '\nExit code 0: written, whatever the run found; 2: the run is not known; 3: a file cannot be written.',
    )
    .action((reference: string, options: CiSummaryOptions) =>
      runCommand(options, async ({ signal, store }) => {
        const { run } = await resolveRun(reference, store)
        const compared = await comparisonOf(run, store, options, signal)
        const urls = { runUrl: run.share_url, ciUrl: run.ci?.run_url ?? (await currentCiUrl()) }
        const summary = runMarkdown(run, { ...compared, ...urls })
        if (options.out === undefined) await writeStdout(summary)
        else await orHarnessError(options.out, writeFile(options.out, summary))
        const outputs = options.githubOutput ?? process.env['GITHUB_OUTPUT'] ?? ''
        const regressed = compared.comparison?.summary.newly_failing ?? 0
        if (outputs !== '') await orHarnessError(outputs, appendFile(outputs, ciOutputs(run, { regressed, ...urls })))
        return 0
      }),
    )
}

const currentCiUrl = async (): Promise<string | undefined> => {
  const sources = { env: process.env, mode: 'full', git: async () => null, user: undefined, host: undefined } as const
  return (await readProvenance({ ...sources, version: VERSION, note: undefined })).ci?.run_url
}

/** The comparison with the baseline, or a note why there is none. Nothing without a reference. */
const comparisonOf = async (
  run: RunDocument,
  store: RunStore,
  options: CiSummaryOptions,
  signal: AbortSignal,
): Promise<Compared> => {
  if (options.against === undefined) return {}
  try {
    const server = configuredBaselineServer(options, process.env, signal)
    return await compareWithBaseline(options.against, { run, store, server })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { note: noComparison(error.message) }
  }
}

const orHarnessError = async (path: string, work: Promise<void>): Promise<void> => {
  try {
    await work
  } catch (error) {
    throw new HarnessError(`${path} cannot be written: ${messageOf(error)}`)
  }
}
