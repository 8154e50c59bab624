import { existsSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { canonicalJson } from '../../domain/run/canonical-json.ts'
import { sha256 } from '../../interchange/document/identity.ts'
import { EVIDENCE_CHOICES, verdictOptions, type ImportOptions } from '../../interchange/document/import-options.ts'
import type { RetryOptions } from '../client/backoff.ts'
import { noJournal, openImportJournal } from './journal.ts'
import { ImportStopped, importRuns } from './import-runs.ts'
import type { ImportTarget } from './target.ts'
import { neededDatabase, onStore } from '../store/store-options.ts'
import { renderProgress } from '../terminal/progress.ts'
import { asUserError } from '../terminal/log-failure.ts'
import { listRunFiles } from './run-files.ts'
import {
  FROM_VALUES,
  importJob,
  MAX_DATABASE_PART_BYTES,
  parseCreatedAt,
  parseScoreRangeOption,
  parseThreshold,
  parseTimeZone,
  type ConversionOptions,
} from './options.ts'
import { parseTime } from './parse-time.ts'
import { keepHeapSmall } from '../terminal/keep-heap-small.ts'
import { importReport } from './report.ts'
import { guessMap, guessLines, MAX_GUESSES } from './guess-map.ts'
import { finishedRuns, importSummary, type ImportCounts } from './counts.ts'
import { asFinal, serverOf, serverOption, serviceClient } from '../client/service-client.ts'
import { readObjectStore } from '../serve/object-store-config.ts'
import { exportedRunsIn, type ExportedFiles } from '../evidence/exported-files.ts'
import { importWithParts } from '../evidence/import-parts.ts'
import { counted } from '../../domain/plain/counted.ts'
import { printable, printableLines } from '../../domain/text/printable.ts'
import { listenForStop } from '../terminal/stop-signals.ts'
import { UserError, exitWith, withUsageExit } from '../../maintenance/user-error.ts'
import { repeated, wholeNumber } from '../terminal/option-values.ts'
import { makeFolder } from '../terminal/make-folder.ts'
import { terminalLine } from '../terminal/terminal-line.ts'

type Options = ConversionOptions & {
  readonly server?: string
  readonly dataDir?: string
  readonly databaseUrl?: string
  readonly concurrency?: number
  readonly resume?: string
  readonly plan?: string
  readonly receipts?: string
  readonly dryRun?: true
  readonly report?: string
  readonly json?: true
}

export const importCommand = (): Command =>
  withUsageExit(new Command('import'))
    .argument(
      '<path...>',
      'run documents (.json, or .ndjson and .jsonl with one per line), results of other tools, and folders of them; each file with or without .gz',
    )
    .addOption(
      new Option('--from <format>', 'the format of the files (default: each is recognised by its content)').choices(
        FROM_VALUES,
      ),
    )
    .option('--map <file>', 'how to read a table: a map in YAML or JSON, or a preset such as preset:ragas')
    .option('--project <name>', 'the project of the runs (default: the name of the format)')
    .option('--suite <name>', 'the suite of the runs (default: what the source says)')
    .option('--provider <name>', 'the provider of the cases (default: what the source says)')
    .option('--tag <tag>', 'a tag of the runs; may be repeated', repeated)
    .option('--branch <name>', 'the branch of the runs')
    .option('--commit <sha>', 'the commit of the runs')
    .option('--scorer <name>', 'the assertion that decides a case; several: all must pass', repeated)
    .option(
      '--pass-threshold <x>',
      'scores of X or more pass if they have no verdict of their own (in the units of the score; default: the middle of its range); NAME=X sets it for one score; may be repeated',
      parseThreshold,
    )
    .option(
      '--score <range>',
      'the range of a score, as NAME=MIN..MAX (default: what the source says, else 0..1); may be repeated',
      parseScoreRangeOption,
    )
    .option('--lower-is-better <name>', 'a score whose low values are good; may be repeated', repeated)
    .option(
      '--higher-is-better <name>',
      'a score whose high values are good, whatever its name says; may be repeated',
      repeated,
    )
    .option('--time-zone <zone>', 'the IANA zone of times without one (default: UTC)', parseTimeZone)
    .option('--created-at <time>', 'the time of runs whose source has none (default: that of the file)', parseCreatedAt)
    .option('--since <time>', 'skip runs before this time', parseTime)
    .option('--until <time>', 'skip runs after this time', parseTime)
    .option('--aggregates', 'import sources that only have totals, as one case for each total')
    .option('--strict', 'refuse a run if its tool counted other cases than the file has')
    .addOption(
      new Option(
        '--replace',
        'delete a run that is stored with other content, and upload it again; needs the admin scope, and appears in the audit trail',
      ).conflicts('asNew'),
    )
    .option('--as-new', 'if a run is stored with other content, keep both: store the new one under the id …~2')
    .addOption(
      new Option(
        '--evidence <which>',
        'what to keep with the runs apart from their documents: all (the source files, transcripts of agents, pictures and other files), transcripts (with their pictures), or none (default: all)',
      ).choices(EVIDENCE_CHOICES),
    )
    .option('--no-original', 'keep no copy of the source files')
    .option(
      '--files <folder>',
      'where pictures and other files are to which sources refer, if not in their own folders; links are not followed',
    )
    .option('--verify', 'compare runs that are already stored with the files')
    .addOption(
      new Option('--dry-run', 'convert and check everything, and send nothing; needs no token').conflicts([
        'dataDir',
        'databaseUrl',
        'receipts',
        'resume',
        'replace',
        'asNew',
      ]),
    )
    .option('--report <file>', 'write one JSON line for each run')
    .addOption(serverOption())
    .addOption(
      new Option('--data-dir <folder>', 'write into this state directory instead').conflicts(['server', 'databaseUrl']),
    )
    .addOption(new Option('--database-url <url>', 'write into this PostgreSQL database instead').conflicts('server'))
    .option(
      '--concurrency <n>',
      `documents sent at the same time (default: ${DEFAULT_CONCURRENCY.server}; ${DEFAULT_CONCURRENCY.store} into a store)`,
      wholeNumber(1, 64),
    )
    .option('--resume <file>', 'journal file: documents listed in it are skipped, and imported ones are added')
    .option('--plan <id>', 'the registered plan that the runs follow')
    .addOption(
      new Option(
        '--receipts <folder>',
        'save the receipt of each run in this folder: it proves that the document was recorded, and holds the network address of the uploader. Existing files are not replaced',
      ).conflicts(['dataDir', 'databaseUrl']),
    )
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      '\nSERVICE_TOKEN is the bearer token. Exit code 0: all runs are imported; 1: some were refused, failed or have changed, or no file has a known format; 2: the import could not start, or had to stop, or a dry run guessed a map; 130: interrupted.',
    )
    .action(async (paths: string[], options: Options) => {
      const promptfooFile = promptfooConfiguration(paths)
      if (promptfooFile === null) return exitWith(() => runImport(paths, options))
      const { convertFile } = await import('../convert/convert.ts')
      const { exitWithEngine } = await import('../terminal/engine-exit.ts')
      return exitWithEngine(() => convertFile(promptfooFile))
    })

/** `import promptfoo FILE` is the old name of `convert promptfoo FILE`. It still works unless something named `promptfoo` exists. */
const promptfooConfiguration = ([first, file, ...others]: readonly string[]): string | null =>
  first === 'promptfoo' && file !== undefined && others.length === 0 && !existsSync(first) ? file : null

/** The most unknown files that are listed if no file has a known format. */
const MAX_UNKNOWN = 5

/** A server has other clients too. A store commits in groups, and larger groups are faster. */
const DEFAULT_CONCURRENCY = { server: 4, store: 32 }

/** Imports what the paths name. Returns the exit code. */
const runImport = async (paths: readonly string[], options: Options): Promise<number> => {
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  keepHeapSmall()
  const exported = await Promise.all(paths.map(exportedRunsIn))
  if (exported.some((runs) => runs.length > 0)) return importExported(exported, options)
  const { evidence = 'all' } = options
  // A dry run sends nothing.
  const keepsEvidence = evidence !== 'none' && !options.dryRun
  using folder = keepsEvidence ? evidenceFolder() : null
  const job = importJob(options, folder?.path ?? null, maxPartBytesOf(options))
  const { files, problems } = listRunFiles(paths)
  if (files.length + problems.length === 0) throw new UserError(`nothing to import: no results in ${paths.join(', ')}`)

  const bar = terminalLine(process.stderr, () => performance.now())
  const print = (text: string) => {
    bar.clear()
    process.stderr.write(`${printable(text)}\n`)
  }
  for (const { path, status, reason } of problems) print(`${path}: ${status} ${reason}`)
  const report = importReport(options.report ?? null)
  const tables = new Set<string>()
  const unknown: string[] = []

  const stop = listenForStop()
  const retry: RetryOptions = {
    signal: stop.signal,
    onRetry: once((error) => print(`${error.message}; trying again`)),
  }
  const target = await openTarget(options, retry).catch((error: unknown) => {
    stop.dispose()
    report.close()
    throw asUserError(error)
  })
  try {
    const journal =
      options.resume === undefined ? noJournal : await openJournal(options.resume, target.name, job.options)
    try {
      const counts = await importRuns(files, target, {
        journal,
        job,
        concurrency:
          options.concurrency ?? (isIntoStore(options) ? DEFAULT_CONCURRENCY.store : DEFAULT_CONCURRENCY.server),
        signal: stop.signal,
        onRun: (run) => {
          report.add(run)
          if (run.needsMap && options.dryRun && tables.size < MAX_GUESSES) tables.add(run.path)
          if (run.reason === null) return
          const line = `${run.path}${run.part === null ? '' : `:${run.part}`}: ${run.reason}`
          if (run.outcome !== 'unknown_files') print(line)
          else if (unknown.length < MAX_UNKNOWN) unknown.push(line)
        },
        onProgress: (progress) => bar.draw((columns) => renderProgress({ ...progress, seconds: seconds() }, columns)),
      }).finally(() => bar.clear())
      return await finish(counts)
    } catch (error) {
      if (!(error instanceof ImportStopped)) throw error
      await finish(error.counts)
      throw error.cause
    } finally {
      await journal.close()
    }
  } finally {
    stop.dispose()
    report.close()
    await target.close()
  }

  async function finish(counts: ImportCounts): Promise<number> {
    for (const { status } of problems) counts[status] += 1
    // A folder may hold files of unknown tools. They are listed only if it holds nothing else.
    const isAllUnknown = counts.unknown_files > 0 && finishedRuns(counts) === 0
    if (isAllUnknown) for (const line of unknown) print(line)
    const guesses = []
    for (const path of stop.code() === null ? tables : []) guesses.push(...(await guessMap(path, job.options)))
    const scores = report.scores()
    const asJson = {
      ...counts,
      seconds: Number(seconds().toFixed(3)),
      ...(scores.length > 0 && { scores }),
      ...(guesses.length > 0 && { guesses }),
    }
    if (options.json) console.log(printable(JSON.stringify(asJson)))
    else {
      for (const line of guesses.flatMap(guessLines)) console.log(printableLines(line))
      const summary = importSummary(counts, report.byFormat(), seconds())
      const lines = options.dryRun
        ? [`dry run: ${summary.replace(/^imported/, 'would import')}`, ...report.findings()]
        : [summary]
      for (const line of [...lines, ...report.scoreLines(options.dryRun ?? false), ...report.lossLines()])
        console.log(printableLines(line))
    }
    return (
      stop.code() ??
      (guesses.length > 0 ? 2 : isAllUnknown || counts.refused + counts.failed + counts.changed > 0 ? 1 : 0)
    )
  }
}

/** What a part has at most in a database that is written without a server. A server says it when it refuses. */
const maxPartBytesOf = (options: Options): number | undefined =>
  options.databaseUrl !== undefined && !readObjectStore(process.env).objectStore ? MAX_DATABASE_PART_BYTES : undefined

/** A folder for the bytes of evidence. It is removed also if a signal ends the process. */
const evidenceFolder = () => {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'ers-evidence-'))
  process.once('exit', () => folder.remove())
  return folder
}

/** Sends runs that were exported with their parts. Returns the exit code. */
const importExported = async (ofPaths: ReadonlyArray<readonly ExportedFiles[]>, options: Options): Promise<number> => {
  if (ofPaths.some((runs) => runs.length === 0))
    throw new UserError('runs that were exported with their parts are imported alone: name no other files with them')
  if (isIntoStore(options) || options.dryRun)
    throw new UserError(
      'runs that were exported with their parts are sent to a server: leave --data-dir, --database-url and --dry-run out',
    )
  const stop = listenForStop()
  const token = process.env['SERVICE_TOKEN']
  const client = serviceClient(serverOf(options.server, process.env), token, { signal: stop.signal })
  let failed = 0
  try {
    for (const run of ofPaths.flat()) {
      if (stop.signal.aborted) break
      try {
        const { run_id, isNew, parts, attached } = await importWithParts(client, run, { token, signal: stop.signal })
        const what = isNew ? 'imported' : attached > 0 ? 'evidence added' : 'already there'
        console.log(printable(`${run_id}: ${what}, ${counted(parts, 'part')} sent`))
      } catch (error) {
        if (stop.signal.aborted) break
        if (!(error instanceof UserError)) throw asFinal(error)
        failed++
        console.error(printable(`${run.where}: ${error.message}`))
      }
    }
  } finally {
    stop.dispose()
  }
  return stop.code() ?? (failed > 0 ? 1 : 0)
}

// The environment is not considered: variables that are set for a server must not redirect an import into its store.
const isIntoStore = ({ dataDir, databaseUrl }: Options): boolean => dataDir !== undefined || databaseUrl !== undefined

// The storage modules are loaded only for an import into a store.
const openTarget = async (
  { dataDir, databaseUrl, server, plan, receipts, dryRun }: Options,
  retry: RetryOptions,
): Promise<ImportTarget> => {
  if (dryRun) return (await import('./dry-run-target.ts')).dryRunTarget()
  if (databaseUrl !== undefined) {
    const { databaseTarget } = await import('./store-target.ts')
    const database = neededDatabase({ databaseUrl }, process.env)
    return onStore(database, () => databaseTarget(database, retry, plan))
  }
  if (dataDir !== undefined) return (await import('./store-target.ts')).stateDirectoryTarget(dataDir, retry, plan)
  if (receipts !== undefined) await makeFolder(receipts)
  return (await import('./upload-target.ts')).uploadTarget(
    serverOf(server, process.env),
    process.env['SERVICE_TOKEN'],
    { ...retry, plan, receipts: receipts ?? null },
  )
}

/** Options that decide verdicts are part of the name in the journal: with other options a run has other results, so it is not skipped. */
const openJournal = async (path: string, target: string, options: ImportOptions) => {
  const { map, evidence } = options
  const deciding = {
    ...verdictOptions(options),
    ...(map !== undefined && { map }),
    // With other evidence, a run is not done.
    ...(evidence && { evidence: [evidence.hasOriginal, evidence.hasOthers] }),
  }
  const name = Object.keys(deciding).length === 0 ? target : `${target} ${sha256(canonicalJson(deciding))}`
  try {
    return await openImportJournal(path, name)
  } catch (error) {
    throw new UserError(`the journal ${path} cannot be used: ${(error as Error).message}`, { cause: error })
  }
}

const once = <T>(work: (value: T) => void) => {
  let isDone = false
  return (value: T) => {
    if (!isDone) work(value)
    isDone = true
  }
}
