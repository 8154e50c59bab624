import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { RetryOptions } from '../client/backoff.ts'
import { noJournal, openImportJournal } from './journal.ts'
import { ImportStopped, importRuns } from './import-runs.ts'
import type { ImportCounts } from './import-runs.ts'
import type { ImportTarget, Outcome } from './target.ts'
import { neededDatabase, withDatabase } from '../store/store-options.ts'
import { progressLine } from '../terminal/progress.ts'
import { asUserError } from '../terminal/log-failure.ts'
import { listRunFiles } from './run-files.ts'
import { serverOf, serverOption } from '../client/service-client.ts'
import { listenForStop } from '../terminal/stop-signals.ts'
import { UserError, exitWith, withUsageExit } from '../../maintenance/user-error.ts'

type Options = {
  readonly server?: string
  readonly dataDir?: string
  readonly databaseUrl?: string
  readonly concurrency?: number
  readonly resume?: string
  readonly plan?: string
  readonly receipts?: string
  readonly from?: string
  readonly report?: string
  readonly json?: true
}

export const importCommand = (): Command =>
  withUsageExit(new Command('import'))
    .argument(
      '<path...>',
      'files and folders: .json, .ndjson and .jsonl (a document per line), each with or without .gz',
    )
    .addOption(serverOption())
    .addOption(
      new Option('--data-dir <folder>', 'write into this state directory instead').conflicts(['server', 'databaseUrl']),
    )
    .addOption(new Option('--database-url <url>', 'write into this PostgreSQL database instead').conflicts('server'))
    .option(
      '--concurrency <n>',
      `documents in flight at once (default: ${DEFAULT_CONCURRENCY.server}, directly into a store ${DEFAULT_CONCURRENCY.store})`,
      parseConcurrency,
    )
    .option('--resume <file>', 'journal file: documents listed in it are skipped, and imported ones are added')
    .option('--plan <id>', 'the registered plan that the runs follow')
    .addOption(
      new Option(
        '--receipts <folder>',
        'save the receipt of each run in this folder: it proves that the document was recorded. Files there are kept',
      ).conflicts(['dataDir', 'databaseUrl']),
    )
    .addOption(new Option('--from <format>', 'the format of the files').choices(['auto', 'ers']).default('auto'))
    .option('--report <file>', 'write a line of JSON for each run: what became of it, and its id')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      '\nSERVICE_TOKEN is the bearer token. Exit code 0: all documents are imported; 1: some were refused or failed; 2: the import could not start, or had to stop; 130: interrupted.',
    )
    .action((paths: string[], options: Options) => exitWith(() => runImport(paths, options)))

/** A server has other clients too. A store commits in groups, and larger groups are faster. */
const DEFAULT_CONCURRENCY = { server: 4, store: 32 }

/** Parses `--concurrency`: a number from 1 to 64. */
export const parseConcurrency = (text: string): number => {
  const n = Number(text)
  if (!/^\d+$/.test(text) || n < 1 || n > 64) throw new InvalidArgumentError('It must be a whole number from 1 to 64.')
  return n
}

const runImport = async (paths: readonly string[], options: Options): Promise<number> => {
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  const { files, problems } = listRunFiles(paths)
  if (files.length + problems.length === 0)
    throw new UserError(`nothing to import: no run documents in ${paths.join(', ')}`)

  const bar = progressLine(process.stderr, () => performance.now())
  const report = (text: string) => {
    bar.clear()
    process.stderr.write(`${text.replace(/[\x00-\x1f\x7f]+/g, ' ')}\n`)
  }
  for (const { path, status, reason } of problems) report(`${path}: ${status} ${reason}`)

  const stop = listenForStop()
  const retry: RetryOptions = {
    signal: stop.signal,
    onRetry: once((error) => report(`${error.message}; trying again`)),
  }
  const record = options.report === undefined ? undefined : openReport(options.report)
  const target = await openTarget(options, retry).catch((error: unknown) => {
    throw asUserError(error)
  })
  try {
    const journal = options.resume === undefined ? noJournal : await openJournal(options.resume, target.name)
    try {
      const counts = await importRuns(files, target, {
        journal,
        concurrency:
          options.concurrency ?? (isIntoStore(options) ? DEFAULT_CONCURRENCY.store : DEFAULT_CONCURRENCY.server),
        signal: stop.signal,
        onNotImported: (path, line, { status, reason }) =>
          report(`${path}${line === null ? '' : `:${line}`}: ${status} ${reason}`),
        ...(record === undefined ? {} : { onOutcome: record }),
        onProgress: (progress) => bar.update({ ...progress, seconds: seconds() }),
      }).finally(() => bar.clear())
      return finish(counts)
    } catch (error) {
      if (!(error instanceof ImportStopped)) throw error
      finish(error.counts)
      throw error.cause
    } finally {
      await journal.close()
    }
  } finally {
    stop.dispose()
    await target.close()
  }

  function finish(counts: ImportCounts): number {
    for (const { status } of problems) counts[status] += 1
    console.log(
      options.json
        ? JSON.stringify({ ...counts, seconds: Number(seconds().toFixed(3)) })
        : summaryOf(counts, seconds()),
    )
    return stop.code() ?? (counts.refused + counts.failed > 0 ? 1 : 0)
  }
}

/** Formats the counts as one line. */
export const summaryOf = (
  { imported, already_there, refused, failed, skipped }: ImportCounts,
  seconds: number,
): string => {
  const skippedText = skipped > 0 ? `, skipped ${skipped} in the journal` : ''
  return `imported ${imported}, already there ${already_there}, refused ${refused}, failed ${failed}${skippedText} in ${seconds.toFixed(1)} s`
}

// The environment is not considered: variables that are set for a server must not redirect an import into its store.
const isIntoStore = ({ dataDir, databaseUrl }: Options): boolean => dataDir !== undefined || databaseUrl !== undefined

// The storage modules are loaded only for an import into a store.
const openTarget = async (
  { dataDir, databaseUrl, server, plan, receipts }: Options,
  retry: RetryOptions,
): Promise<ImportTarget> => {
  if (databaseUrl !== undefined) {
    const { databaseTarget } = await import('./store-target.ts')
    const database = neededDatabase({ databaseUrl }, process.env)
    return withDatabase(database, () => databaseTarget(database, retry, plan))
  }
  if (dataDir !== undefined) return (await import('./store-target.ts')).stateDirectoryTarget(dataDir, retry, plan)
  return (await import('./upload-target.ts')).uploadTarget(
    serverOf(server, process.env),
    process.env['SERVICE_TOKEN'],
    { ...retry, plan, receipts: receipts === undefined ? null : makeReceiptFolder(receipts) },
  )
}

/** Starts a report: an empty file, to which each run adds a line. */
const openReport = (path: string) => {
  const written = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      throw new UserError(`the report ${path} cannot be written: ${(error as Error).message}`, { cause: error })
    }
  }
  written(() => writeFileSync(path, ''))
  return (file: string, line: number | null, outcome: Outcome): void => {
    const known =
      'status' in outcome ? { run_id: null, reason: outcome.reason } : { run_id: outcome.id ?? null, reason: null }
    const entry = { path: file, part: line, format: 'ers', outcome: outcome.kind, ...known }
    written(() => appendFileSync(path, `${JSON.stringify(entry)}\n`))
  }
}

const makeReceiptFolder = (path: string): string => {
  try {
    mkdirSync(path, { recursive: true })
    return path
  } catch (error) {
    throw new UserError(`${path} cannot be created: ${(error as Error).message}`, { cause: error })
  }
}

const openJournal = async (path: string, target: string) => {
  try {
    return await openImportJournal(path, target)
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
