import { Command, InvalidArgumentError, Option } from 'commander'
import { RUN_FORMATS, type RunFormat } from '../../engine/report/run-report.ts'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { serverUrlOptions } from '../client/engine-server.ts'
import { globalOptions } from '../suite/global-options.ts'
import type { RunCommandOptions } from './options.ts'
import { exitWithEngine } from '../terminal/engine-exit.ts'
import { untilStopped } from '../terminal/stop-signals.ts'
import { repeated, wholeNumber } from '../terminal/option-values.ts'

export const runCommand = (): Command => {
  const command = withUsageExit(new Command('run'))
    .argument('[path]', 'the suite: a file, or a folder with service.yaml', '.')
    .optionsGroup('What runs:')
    .option('--tag <tag>', 'only tests with this tag; repeatable', repeated)
    .option('--filter <glob>', 'only tests whose id matches: * is any text, ? one character; repeatable', repeated)
    .option('--provider <id>', 'only this provider (default SERVICE_PROVIDER, a comma list); repeatable', repeated)
    .option('--prompt <id>', 'only this prompt; repeatable', repeated)
    .option('--repeat <n>', 'how often each cell runs', wholeNumber(0), 1)
    .option('--allow-empty', 'accept that nothing is selected')
    .optionsGroup('How it runs:')
    .option('-j, --concurrency <n>', 'cells at the same time (default: the suite, else 1)', wholeNumber(0))
    .addOption(new Option('--retries <n>', 'further attempts after a retriable failure').argParser(wholeNumber(0)))
    .option('--no-retries', 'one attempt only')
    .option(
      '--fallback-on-empty-reason <list>',
      'reasons of empty outputs that ask a fallback, comma-separated; empty: none (default SERVICE_FALLBACK_ON_EMPTY_REASON, else the suite)',
    )
    .option('--no-fallback', 'ask no fallback provider (SERVICE_NO_FALLBACK=1)')
    .optionsGroup('Cache:')
    .option('--no-cache', 'neither read nor write the cache')
    .option('--cache-only', 'call nothing: what is not in the cache is an error')
    .option('--no-grader-cache', 'grade again; answers of providers may come from the cache')
    .option(
      '--cache-dir <folder>',
      'the local cache (default SERVICE_CACHE_DIR, else .service/cache next to the suite)',
    )
    .addOption(
      new Option(
        '--store-empty-outputs <policy>',
        'which empty outputs are stored (default SERVICE_CACHE_STORE_EMPTY_OUTPUTS, else the suite)',
      ).choices(['never', 'reproducible', 'always']),
    )
    .addOption(new Option('--no-cache-migration', 'accepted without effect').hideHelp())
    .optionsGroup('Output:')
    .addOption(
      new Option('--format <format>', 'table, json, jsonl, junit or md; repeatable (default table)')
        .choices(RUN_FORMATS)
        .argParser(format),
    )
    .option('--out <file>', 'write the format to this file instead of stdout')
    .option('--summary-md <file>', 'write a Markdown summary to this file')
    .option('--no-raw', 'leave raw responses and requests out of the document')
    .option('--no-progress', 'show no progress')
    .option('--note <text>', 'a note for the run (default: the description of the suite)')
    .option('--no-provenance', 'record neither user nor host')
    .optionsGroup('Comparison and upload:')
    .option(
      '--against <run>',
      'compare with a run: a run, latest, branch:<name>, server:baseline, server:branch:<name>, or none (default: baseline.branch of the suite)',
    )
    .option('--share', 'upload the run to the service')
    .option('--plan <id>', 'with --share: the registered plan that the run follows')
    .option('--allow-share-failure', 'continue if the upload fails')
  for (const option of [...serverUrlOptions(), ...globalOptions()]) command.addOption(option)
  refuseBoth(command, 'retries', 'no-retries')
  return command
    .addHelpText(
      'after',
      `
Exit code 0: all is well; 1: a case failed, passed unexpectedly or newly fails; 2: the suite, its selection or a
credential is wrong; 3: a provider, a grader, a program, the cache or an output failed; 130: interrupted.`,
    )
    .action((path: string, options: RunCommandOptions) =>
      exitWithEngine(() =>
        untilStopped(async (stop) => (await import('./execute-run.ts')).executeRun(path, options, stop)),
      ),
    )
}

const format = (text: string, previous: readonly RunFormat[] = []): readonly RunFormat[] => {
  const known = RUN_FORMATS.find((name) => name === text)
  if (known === undefined) throw new InvalidArgumentError(`Allowed choices are ${RUN_FORMATS.join(', ')}.`)
  return [...previous, known]
}

/** Both options set one value, so commander would let the last one win. */
const refuseBoth = (command: Command, ...names: readonly [string, string]): void => {
  const given = new Set<string>()
  for (const name of names)
    command.on(`option:${name}`, () => {
      given.add(name)
      if (given.size === names.length) command.error(`error: --${names[0]} cannot be used with --${names[1]}`)
    })
}
