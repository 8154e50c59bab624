import { Command, InvalidArgumentError, Option } from 'commander'
import type { Patience } from '../client/backoff.ts'
import { noJournal, openImportJournal } from './journal.ts'
import { ImportStopped, importRuns } from './import-runs.ts'
import type { ImportCounts } from './import-runs.ts'
import type { ImportTarget } from './target.ts'
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
  readonly json?: true
}

export const importCommand = (): Command =>
  withUsageExit(new Command('import'))
    .description(
      'upload run documents, or write them straight into a state directory that no server holds, or into a database',
    )
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
      `documents on their way at once (default: ${LANES.server}, straight into a store ${LANES.store})`,
      concurrencyOf,
    )
    .option('--resume <file>', 'journal of what is in already: passed over, and added to')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      '\nSERVICE_TOKEN is the bearer token. Exit code 0: everything is in; 1: some was refused or failed; 2: nothing could be done; 130: interrupted.',
    )
    .action((paths: string[], options: Options) => exitWith(() => runImport(paths, options)))

/** A server has others to serve; a store is written in groups, the larger the better. */
const LANES = { server: 4, store: 32 }

/** `--concurrency N`: how many at once, 1 to 64. */
export const concurrencyOf = (text: string): number => {
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
  const say = (text: string) => {
    bar.clear()
    process.stderr.write(`${text.replace(/[\x00-\x1f\x7f]+/g, ' ')}\n`)
  }
  for (const { path, status, reason } of problems) say(`${path}: ${status} ${reason}`)

  const stop = listenForStop()
  const patience: Patience = { signal: stop.signal, onRetry: once((error) => say(`${error.message}; trying again`)) }
  const target = await openTarget(options, patience).catch((error: unknown) => {
    throw asUserError(error)
  })
  try {
    const journal = options.resume === undefined ? noJournal : await openJournal(options.resume, target.name)
    try {
      const counts = await importRuns(files, target, {
        journal,
        concurrency: options.concurrency ?? (isStraight(options) ? LANES.store : LANES.server),
        signal: stop.signal,
        onNotIn: (path, line, { status, reason }) =>
          say(`${path}${line === null ? '' : `:${line}`}: ${status} ${reason}`),
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

/** The counts as one line. */
export const summaryOf = (
  { imported, already_there, refused, failed, skipped }: ImportCounts,
  seconds: number,
): string => {
  const passedOver = skipped > 0 ? `, skipped ${skipped} in the journal` : ''
  return `imported ${imported}, already there ${already_there}, refused ${refused}, failed ${failed}${passedOver} in ${seconds.toFixed(1)} s`
}

// What is set for a server is no wish to go past it: a store is written to where it is named.
const isStraight = ({ dataDir, databaseUrl }: Options): boolean => dataDir !== undefined || databaseUrl !== undefined

// The storage is loaded only when documents go into it from here.
const openTarget = async ({ dataDir, databaseUrl, server }: Options, patience: Patience): Promise<ImportTarget> => {
  if (databaseUrl !== undefined) {
    const { databaseTarget } = await import('./store-target.ts')
    const database = neededDatabase({ databaseUrl }, process.env)
    return withDatabase(database, () => databaseTarget(database, patience))
  }
  if (dataDir !== undefined) return (await import('./store-target.ts')).stateDirectoryTarget(dataDir, patience)
  return (await import('./upload-target.ts')).uploadTarget(
    serverOf(server, process.env),
    process.env['SERVICE_TOKEN'],
    patience,
  )
}

const openJournal = async (path: string, target: string) => {
  try {
    return await openImportJournal(path, target)
  } catch (error) {
    throw new UserError(`the journal ${path} cannot be used: ${(error as Error).message}`, { cause: error })
  }
}

const once = <T>(tell: (value: T) => void) => {
  let told = false
  return (value: T) => {
    if (!told) tell(value)
    told = true
  }
}
