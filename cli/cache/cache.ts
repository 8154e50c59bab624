import { readFile, writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { Command, InvalidArgumentError, Option } from 'commander'
import { isCacheKey } from '../../domain/cache/key.ts'
import { CACHE_ORDERS, CACHE_SORTS, type ListingOrder, type CacheSort } from '../../domain/cache/listing.ts'
import { printable, printableLines } from '../../domain/text/printable.ts'
import { localCacheCommands, localCacheTarget } from './local.ts'
import { entryLine, totalsLine } from './text.ts'
import type { CacheTarget, Pruning } from './target.ts'
import { serverOf, serverOption } from '../client/service-client.ts'
import { untilStopped } from '../terminal/stop-signals.ts'
import { UserError, exitWith, withUsageExit } from '../../maintenance/user-error.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { instant, repeated, wholeNumber } from '../terminal/option-values.ts'

const EXIT_NO_ENTRY = 3

export const cacheCommand = (): Command => {
  const cache = withUsageExit(new Command('cache')).addHelpText(
    'after',
    '\nEvery command works on a service (--server, with SERVICE_TOKEN as bearer token), on a directory of entries (--dir), or on the local cache of a suite (--local); path, gc and clear only on the last. Exit code 0: done; 2: the command could not start, or had to stop; 3: there is no such entry.',
  )
  for (const command of [statsCommand(), listCommand(), showCommand(), getCommand(), putCommand(), pruneCommand()])
    cache.addCommand(command)
  for (const command of localCacheCommands((name, description) =>
    withUsageExit(new Command(name)).description(description),
  ))
    cache.addCommand(command)
  return cache
}

type CacheLocation = {
  readonly server?: string | undefined
  readonly dir?: string | undefined
  /** The suite whose local cache is meant; true: that of the current folder. */
  readonly local?: string | true | undefined
  readonly cacheDir?: string | undefined
}

const command = (name: string, description: string): Command =>
  withUsageExit(new Command(name))
    .description(description)
    .addOption(serverOption().conflicts(['dir', 'local', 'cacheDir']))
    .addOption(
      new Option(
        '--dir <folder>',
        'a directory of entries, <first 2 hex>/<64 hex>.json, instead of a service',
      ).conflicts(['local', 'cacheDir']),
    )
    .option('--local [path]', 'the local cache of a suite, by its file or folder (default .), instead of a service')
    .option('--cache-dir <folder>', 'with --local: the folder of this cache (default SERVICE_CACHE_DIR)')

/** Runs a command on the cache that its options name. An interrupt aborts its requests. */
const runOn = (location: CacheLocation, work: (target: CacheTarget) => Promise<number>): Promise<void> =>
  exitWith(() => untilStopped(async (stop) => work(await openTarget(location, stop.signal))))

const isLocal = ({ local, cacheDir }: CacheLocation): boolean => local !== undefined || cacheDir !== undefined

// Loaded on demand: a command for a service does not load the modules that read a directory.
const openTarget = async (location: CacheLocation, signal: AbortSignal): Promise<CacheTarget> => {
  const { server, dir, local, cacheDir } = location
  if (isLocal(location))
    return localCacheTarget({ suite: typeof local === 'string' ? local : '.', cacheDir }, process.env)
  return dir === undefined
    ? (await import('./server-target.ts')).cacheServerTarget(
        serverOf(server, process.env),
        process.env['SERVICE_TOKEN'],
        { signal },
      )
    : (await import('./directory-target.ts')).cacheDirectoryTarget(dir, { now: Date.now })
}

const statsCommand = (): Command =>
  command('stats', 'print the number of entries, their total size and their lookups')
    .option('--json', 'as JSON')
    .action(({ json = false, ...location }: CacheLocation & { json?: boolean }) =>
      runOn(location, async ({ stats }) => {
        const totals = await stats()
        await writeStdout(
          `${json ? JSON.stringify(totals) : totalsLine(isLocal(location) ? { ...totals, oldest_entry_at: null } : totals)}\n`,
        )
        return 0
      }),
    )

type ListOptions = CacheLocation & {
  readonly kind?: string
  readonly model?: string
  readonly emptyReason?: string
  readonly q?: string
  readonly since?: number
  readonly until?: number
  readonly sort: CacheSort
  readonly order: ListingOrder
  readonly limit: number
  readonly json?: boolean
}

const listCommand = (): Command =>
  command('ls', 'list entries, newest first')
    .option('--kind <kind>', 'only this kind: provider, judge, embedding, exec_assert; or unparseable')
    .option('--model <model>', 'only this model')
    .option('--empty-reason <reason>', 'only entries that are empty for this reason')
    .option('-q, --q <words>', 'only entries with these words in request or output')
    .option('--since <time>', 'stored at or after: epoch milliseconds or RFC 3339', instant)
    .option('--until <time>', 'stored at or before', instant)
    .addOption(new Option('--sort <by>', 'sort key').choices(CACHE_SORTS).default('created'))
    .addOption(new Option('--order <order>', 'sort direction').choices(CACHE_ORDERS).default('desc'))
    .option('--limit <n>', 'maximum number of entries', wholeNumber(1), 40)
    .option('--json', 'print one JSON object per line, as in the API')
    .addHelpText('after', '\nEach line, separated by tabs: time, key, kind, model, bytes, USD, request, output.')
    .action(
      ({ server, dir, local, cacheDir, limit, json = false, emptyReason: empty_reason, ...listing }: ListOptions) =>
        runOn({ server, dir, local, cacheDir }, async ({ list }) => {
          const { entries, truncated } = await list(
            { ...listing, ...(empty_reason === undefined ? {} : { empty_reason }) },
            limit,
          )
          await writeStdout(
            entries.map((entry) => `${json ? printable(JSON.stringify(entry)) : entryLine(entry)}\n`).join(''),
          )
          if (truncated) console.error('the directory holds more files than a list reads: the oldest are left out')
          return 0
        }),
    )

const showCommand = (): Command =>
  command('show', 'show one entry in full, as JSON')
    .argument('<key>', 'its key, with or without sha256:', parseKey)
    .option('--raw', 'include the raw response of the provider')
    .option('--json', 'on one line')
    .action(
      (key: string, { raw = false, json = false, ...location }: CacheLocation & { raw?: boolean; json?: boolean }) =>
        runOn(location, async ({ show }) => {
          const entry = await show(key, raw)
          if (entry === null) return missing(key)
          // Line breaks inside strings are already escaped; the remaining ones separate members.
          await writeStdout(
            JSON.stringify(entry, null, json ? 0 : 2)
              .split('\n')
              .map((line) => `${printable(line)}\n`)
              .join(''),
          )
          return 0
        }),
    )

const getCommand = (): Command =>
  command('get', 'print the body of one entry, byte for byte; a service counts it as a lookup')
    .argument('<key>', 'its key, with or without sha256:', parseKey)
    .option('-o, --output <file>', 'write it to this file')
    .action((key: string, { output, ...location }: CacheLocation & { output?: string }) =>
      runOn(location, async ({ get }) => {
        const bytes = await get(key)
        if (bytes === null) return missing(key)
        // A file or a pipe gets every byte. For a terminal, some bytes are commands.
        if (output === undefined || output === '-')
          await writeStdout(process.stdout.isTTY ? printableLines(Buffer.from(bytes).toString()) : bytes)
        else await orUserError(`${output} cannot be written`, writeFile(output, bytes))
        return 0
      }),
    )

const putCommand = (): Command =>
  command('put', 'store a body under a key, unless the key already has one')
    .argument('<key>', 'its key, with or without sha256:', parseKey)
    .argument('<file>', 'file with the body, - for standard input')
    .action((key: string, file: string, location: CacheLocation) =>
      runOn(location, async ({ put }) => {
        const bytes = await orUserError(`${file} cannot be read`, file === '-' ? buffer(process.stdin) : readFile(file))
        await writeStdout((await put(key, bytes)) ? 'stored\n' : 'already stored; the first body is kept\n')
        return 0
      }),
    )

type PruneOptions = CacheLocation & {
  readonly olderThanDays?: number
  readonly newerThanDays?: number
  readonly emptyReason?: readonly string[]
  readonly model?: string
  readonly kind?: string
  readonly targetBytes?: number
  readonly retention?: boolean
}

const pruneCommand = (): Command =>
  command('prune', 'delete the entries that match all given rules')
    .option('--older-than-days <days>', 'stored more than this many days ago', wholeNumber(0))
    .option('--newer-than-days <days>', 'stored within this many days', wholeNumber(0))
    .option('--empty-reason <reason>', 'empty for this reason; repeat the option to match any of several', repeated)
    .option('--model <model>', 'only this model')
    .option('--kind <kind>', 'only this kind')
    .option(
      '--target-bytes <bytes>',
      'then also the least recently used entries, until the total is at most this size',
      wholeNumber(0),
    )
    .option('--retention', 'apply the limits configured on the service, without any other rule')
    .action(({ server, dir, local, cacheDir, retention = false, ...options }: PruneOptions) =>
      runOn({ server, dir, local, cacheDir }, async ({ prune }) => {
        const pruning = pruningOf(options)
        const isBare = Object.keys(pruning).length === 0
        if (retention !== isBare)
          throw new UserError(
            isBare
              ? 'name the entries to delete: give a rule, or --retention'
              : '--retention cannot be combined with a rule',
          )
        await writeStdout(`pruned ${await prune(retention ? null : pruning)}\n`)
        return 0
      }),
    )

/** The given rules under their API names. */
const pruningOf = ({ olderThanDays, newerThanDays, emptyReason, model, kind, targetBytes }: PruneOptions): Pruning => ({
  ...(olderThanDays === undefined ? {} : { older_than_days: olderThanDays }),
  ...(newerThanDays === undefined ? {} : { newer_than_days: newerThanDays }),
  // The API separates reasons by commas, so no reason contains one.
  ...(emptyReason === undefined
    ? {}
    : {
        empty_reasons: emptyReason
          .flatMap((reason) => reason.split(','))
          .map((reason) => reason.trim())
          .filter((reason) => reason !== ''),
      }),
  ...(model === undefined ? {} : { model }),
  ...(kind === undefined ? {} : { kind }),
  ...(targetBytes === undefined ? {} : { target_bytes: targetBytes }),
})

const missing = (key: string): number => {
  console.error(`there is no entry ${key}`)
  return EXIT_NO_ENTRY
}

const orUserError = async <T>(message: string, work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (cause) {
    throw new UserError(`${message}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

const parseKey = (text: string): string => {
  const key = text.startsWith('sha256:') ? text : `sha256:${text}`
  if (!isCacheKey(key)) throw new InvalidArgumentError('It must be sha256:<64 hex>, in lower case.')
  return key
}
