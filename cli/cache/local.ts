import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { UserError, exitWith } from '../../maintenance/user-error.ts'
import { writeStdout } from '../terminal/stdout.ts'
import type { CacheTarget } from './target.ts'
import { repeated, timeSpan } from '../terminal/option-values.ts'

/** Where the local cache of a suite is: the suite's file or folder, and the folder that replaces the default one. */
export type LocalCacheLocation = { readonly suite: string; readonly cacheDir?: string | undefined }

const DAY_MS = 86_400_000

/**
 * The folder of the local cache: `--cache-dir`, else SERVICE_CACHE_DIR, else `.service/cache` in the folder of the suite.
 * Throws `UserError` if there is no such suite.
 */
const localCacheDirectory = async (
  { suite, cacheDir }: LocalCacheLocation,
  env: NodeJS.ProcessEnv,
): Promise<string> => {
  const given = cacheDir || env['SERVICE_CACHE_DIR']
  if (given) return resolve(given)
  try {
    const folder = (await stat(suite)).isDirectory() ? suite : dirname(suite)
    return resolve(join(folder, '.service', 'cache'))
  } catch (cause) {
    throw new UserError(
      `${suite} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}; name a suite, or give --cache-dir`,
      { cause },
    )
  }
}

/** Opens the local cache of a suite. One that was never written is empty. */
export const localCacheTarget = async (location: LocalCacheLocation, env: NodeJS.ProcessEnv): Promise<CacheTarget> => {
  const directory = await localCacheDirectory(location, env)
  // Loaded on demand: the list of commands does not load the modules that read a directory.
  const { cacheDirectoryTarget } = await import('./directory-target.ts')
  const target = cacheDirectoryTarget(directory, { now: Date.now })
  if (await exists(directory)) return target
  return {
    ...target,
    stats: async () => ({ entries: 0, total_bytes: 0, oldest_entry_at: null }),
    list: async () => ({ entries: [], truncated: false }),
    show: async () => null,
    get: async () => null,
    prune: async () => 0,
  }
}

/** An unfinished entry that did not change for this long has no writer any more. */
const UNFINISHED_MS = 3_600_000

/** Deletes what writers left behind that were killed. */
const removeLeftovers = async (location: LocalCacheLocation): Promise<void> => {
  const directory = await localCacheDirectory(location, process.env)
  if (!(await exists(directory))) return
  const { removeUnfinished } = await import('../../storage/disk/cache-directory.ts')
  await removeUnfinished(directory, Date.now() - UNFINISHED_MS)
}

const exists = async (path: string): Promise<boolean> => {
  try {
    await stat(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw new UserError(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

type LocalOptions = { readonly cacheDir?: string }

/** The commands that only work on the local cache of a suite. `command` makes one of a name and a description. */
export const localCacheCommands = (command: (name: string, description: string) => Command): readonly Command[] => {
  const local = (name: string, description: string): Command =>
    command(name, description)
      .argument('[path]', 'the suite: its file or its folder', '.')
      .option(
        '--cache-dir <folder>',
        'the cache (default SERVICE_CACHE_DIR, else .service/cache in the folder of the suite)',
      )
  return [
    local('path', 'print the folder of the local cache of a suite').action((suite: string, options: LocalOptions) =>
      exitWith(async () => {
        await writeStdout(`${await localCacheDirectory({ suite, ...options }, process.env)}\n`)
        return 0
      }),
    ),
    gcCommand(local('gc', 'delete the entries of the local cache that match all given rules')),
    local('clear', 'delete all entries of the local cache').action((suite: string, options: LocalOptions) =>
      exitWith(async () => {
        const target = await localCacheTarget({ suite, ...options }, process.env)
        // Every entry was stored within an infinite time.
        const cleared = await target.prune({ newer_than_days: Infinity })
        await removeLeftovers({ suite, ...options })
        await writeStdout(`cleared ${entriesText(cleared)}\n`)
        return 0
      }),
    ),
  ]
}

type GcOptions = LocalOptions & {
  readonly olderThan?: number
  readonly newerThan?: number
  readonly emptyReason?: readonly string[]
}

const gcCommand = (command: Command): Command =>
  command
    .option('--older-than <time>', 'stored longer ago than this, for example 30d, 12h, 90m or 45s', timeSpan)
    .option('--newer-than <time>', 'stored within this time; needs --older-than', timeSpan)
    .option('--empty-reason <reason>', 'empty for this reason; repeat the option to match any of several', repeated)
    .action((suite: string, { cacheDir, olderThan, newerThan, emptyReason }: GcOptions) =>
      exitWith(async () => {
        if (newerThan !== undefined && olderThan === undefined) throw new UserError('--newer-than needs --older-than')
        if (olderThan === undefined && emptyReason === undefined)
          throw new UserError('name the entries to delete: give --older-than or --empty-reason')
        const target = await localCacheTarget({ suite, cacheDir }, process.env)
        const { entries } = await target.stats()
        const removed = await target.prune({
          ...(olderThan === undefined ? {} : { older_than_days: olderThan / DAY_MS }),
          ...(newerThan === undefined ? {} : { newer_than_days: newerThan / DAY_MS }),
          ...(emptyReason === undefined ? {} : { empty_reasons: emptyReason }),
        })
        await removeLeftovers({ suite, cacheDir })
        await writeStdout(`removed ${removed} of ${entriesText(entries)}\n`)
        return 0
      }),
    )

const entriesText = (count: number): string => `${count} cache ${count === 1 ? 'entry' : 'entries'}`
