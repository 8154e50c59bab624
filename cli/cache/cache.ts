import { readFile, writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { Command, InvalidArgumentError, Option } from 'commander'
import { isCacheKey } from '../../domain/cache/key.ts'
import { CACHE_ORDERS, CACHE_SORTS } from '../../domain/cache/listing.ts'
import type { CacheOrder, CacheSort } from '../../domain/cache/listing.ts'
import { parseInstant } from '../../domain/instants.ts'
import { entryLine, printable, totalsLine } from './text.ts'
import type { CacheTarget, Pruning } from './target.ts'
import { serverOf, serverOption } from '../client/service-client.ts'
import { untilStopped } from '../terminal/stop-signals.ts'
import { UserError, exitWith, withUsageExit } from '../../maintenance/user-error.ts'
import { writeStdout } from '../terminal/stdout.ts'

/** There is no entry under the key. */
const MISSING = 3

export const cacheCommand = (): Command => {
  const cache = withUsageExit(new Command('cache'))
    .description('look at a cache of answers, take from it, put into it, and remove from it')
    .addHelpText(
      'after',
      '\nEvery command works on a service (--server, with SERVICE_TOKEN as bearer token) or on a directory of entries (--dir). Exit code 0: done; 2: nothing could be done; 3: there is no such entry.',
    )
  for (const command of [statsCommand(), listCommand(), showCommand(), getCommand(), putCommand(), pruneCommand()])
    cache.addCommand(command)
  return cache
}

type Where = { readonly server?: string | undefined; readonly dir?: string | undefined }

const command = (name: string, description: string): Command =>
  withUsageExit(new Command(name))
    .description(description)
    .addOption(serverOption().conflicts('dir'))
    .option('--dir <folder>', 'a directory of entries, <first 2 hex>/<64 hex>.json, instead of a service')

/** Runs a command on the cache that its options name; an interrupt ends what is under way. */
const on = ({ server, dir }: Where, work: (target: CacheTarget) => Promise<number>): Promise<void> =>
  exitWith(() => untilStopped(async (stop) => work(await targetOf({ server, dir }, stop.signal))))

// Each is loaded when it is needed: asking a service must not pay for what reads a directory.
const targetOf = async ({ server, dir }: Where, signal: AbortSignal): Promise<CacheTarget> =>
  dir === undefined
    ? (await import('./server-target.ts')).cacheServerTarget(
        serverOf(server, process.env),
        process.env['SERVICE_TOKEN'],
        { signal },
      )
    : (await import('./directory-target.ts')).cacheDirectoryTarget(dir, { now: Date.now })

const statsCommand = (): Command =>
  command('stats', 'how many entries there are, how large, and how often they were asked for')
    .option('--json', 'as JSON')
    .action(({ json = false, ...where }: Where & { json?: boolean }) =>
      on(where, async ({ stats }) => {
        const totals = await stats()
        await writeStdout(`${json ? JSON.stringify(totals) : totalsLine(totals)}\n`)
        return 0
      }),
    )

type ListOptions = Where & {
  readonly kind?: string
  readonly model?: string
  readonly emptyReason?: string
  readonly q?: string
  readonly since?: number
  readonly until?: number
  readonly sort: CacheSort
  readonly order: CacheOrder
  readonly limit: number
  readonly json?: boolean
}

const listCommand = (): Command =>
  command('ls', 'list entries, the newest first')
    .option('--kind <kind>', 'of one kind: provider, judge, embedding, exec_assert; or unparseable')
    .option('--model <model>', 'of one model')
    .option('--empty-reason <reason>', 'empty for one reason')
    .option('-q, --q <words>', 'that hold these words in request or output')
    .option('--since <time>', 'stored at or after: epoch milliseconds or RFC 3339', parseTime)
    .option('--until <time>', 'stored at or before', parseTime)
    .addOption(new Option('--sort <by>', 'what to sort by').choices(CACHE_SORTS).default('created'))
    .addOption(new Option('--order <order>', 'in which direction').choices(CACHE_ORDERS).default('desc'))
    .option('--limit <n>', 'no more than so many', parseCount, 40)
    .option('--json', 'one JSON object a line, as the API answers them')
    .addHelpText('after', '\nEach line: time, key, kind, model, bytes, USD, request, output; tabs between.')
    .action(({ server, dir, limit, json = false, emptyReason: empty_reason, ...listing }: ListOptions) =>
      on({ server, dir }, async ({ list }) => {
        const { entries, truncated } = await list(
          { ...listing, ...(empty_reason === undefined ? {} : { empty_reason }) },
          limit,
        )
        await writeStdout(
          entries.map((entry) => `${json ? printable(JSON.stringify(entry)) : entryLine(entry)}\n`).join(''),
        )
        if (truncated) console.error('the directory holds more files than were looked at: the oldest are left out')
        return 0
      }),
    )

const showCommand = (): Command =>
  command('show', 'show one entry in full, as JSON')
    .argument('<key>', 'its key, with or without sha256:', parseKey)
    .option('--raw', 'with the raw answer of the provider')
    .option('--json', 'on one line')
    .action((key: string, { raw = false, json = false, ...where }: Where & { raw?: boolean; json?: boolean }) =>
      on(where, async ({ show }) => {
        const entry = await show(key, raw)
        if (entry === null) return missing(key)
        // Line breaks inside of strings are escaped already: those that are left stand between members.
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
    .action((key: string, { output, ...where }: Where & { output?: string }) =>
      on(where, async ({ get }) => {
        const bytes = await get(key)
        if (bytes === null) return missing(key)
        if (output === undefined || output === '-') await writeStdout(bytes)
        else await usable(`${output} cannot be written`, writeFile(output, bytes))
        return 0
      }),
    )

const putCommand = (): Command =>
  command('put', 'store a body under a key, unless the key has one already')
    .argument('<key>', 'its key, with or without sha256:', parseKey)
    .argument('<file>', 'the file with the body, - for standard input')
    .action((key: string, file: string, where: Where) =>
      on(where, async ({ put }) => {
        const bytes = await usable(`${file} cannot be read`, file === '-' ? buffer(process.stdin) : readFile(file))
        await writeStdout((await put(key, bytes)) ? 'stored\n' : 'there already; the first body stays\n')
        return 0
      }),
    )

type PruneOptions = Where & {
  readonly olderThanDays?: number
  readonly newerThanDays?: number
  readonly emptyReason?: readonly string[]
  readonly model?: string
  readonly kind?: string
  readonly targetBytes?: number
  readonly retention?: boolean
}

const pruneCommand = (): Command =>
  command('prune', 'remove the entries that fit all rules given')
    .option('--older-than-days <days>', 'stored longer ago', parseWhole)
    .option('--newer-than-days <days>', 'stored since then', parseWhole)
    .option(
      '--empty-reason <reason>',
      'empty for this reason; may be given several times, for any of them',
      (reason: string, before: readonly string[] = []) => [...before, reason],
    )
    .option('--model <model>', 'of one model')
    .option('--kind <kind>', 'of one kind')
    .option('--target-bytes <bytes>', 'then the least recently used, until all together have no more bytes', parseWhole)
    .option('--retention', 'by the limits that the service is configured with, and no other rule')
    .action(({ server, dir, retention = false, ...options }: PruneOptions) =>
      on({ server, dir }, async ({ prune }) => {
        const pruning = pruningOf(options)
        const isBare = Object.keys(pruning).length === 0
        if (retention !== isBare)
          throw new UserError(
            isBare ? 'say what is to go: by a rule, or by --retention' : '--retention takes no other rule',
          )
        await writeStdout(`pruned ${await prune(retention ? null : pruning)}\n`)
        return 0
      }),
    )

/** The rules that were given, as the API names them. */
const pruningOf = ({ olderThanDays, newerThanDays, emptyReason, model, kind, targetBytes }: PruneOptions): Pruning => ({
  ...(olderThanDays === undefined ? {} : { older_than_days: olderThanDays }),
  ...(newerThanDays === undefined ? {} : { newer_than_days: newerThanDays }),
  // A comma stands between reasons on the way to a service, and none holds one.
  ...(emptyReason === undefined
    ? {}
    : {
        empty_reasons: emptyReason
          .flatMap((each) => each.split(','))
          .map((each) => each.trim())
          .filter((each) => each !== ''),
      }),
  ...(model === undefined ? {} : { model }),
  ...(kind === undefined ? {} : { kind }),
  ...(targetBytes === undefined ? {} : { target_bytes: targetBytes }),
})

const missing = (key: string): number => {
  console.error(`there is no entry ${key}`)
  return MISSING
}

const usable = async <T>(failed: string, work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (cause) {
    throw new UserError(`${failed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

const parseKey = (text: string): string => {
  const key = text.startsWith('sha256:') ? text : `sha256:${text}`
  if (!isCacheKey(key)) throw new InvalidArgumentError('It must be sha256:<64 hex>, in lower case.')
  return key
}

const parseWhole = (text: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 0.')
  return Number(text)
}

const parseCount = (text: string): number => {
  const count = parseWhole(text)
  if (count === 0) throw new InvalidArgumentError('It must be a number from 1.')
  return count
}

const parseTime = (text: string): number => {
  const ms = parseInstant(text)
  if (ms === null) throw new InvalidArgumentError('It must be epoch milliseconds or an RFC 3339 instant.')
  return ms
}
