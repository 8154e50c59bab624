import * as files from 'node:fs/promises'
import { join } from 'node:path'
import { CacheUnavailable } from '../../engine/cache/client.ts'
import { cachePath } from '../../domain/cache/key.ts'
import { listedMetadata, type ListedMetadata } from '../../domain/cache/listing.ts'
import { diskCacheClient } from '../../engine/cache/disk-client.ts'
import { listLocalEntries, readLocalEntry } from '../../queries/cache/local.ts'
import { rfc3339 } from '../../domain/wire.ts'
import { openLocalCache, type LocalCache, type LocalEntry } from '../../storage/disk/cache-directory.ts'
import type { CacheTarget, Pruning } from './target.ts'
import { UserError } from '../../maintenance/user-error.ts'

/** Maximum number of files that a list reads, newest first. The result says whether the directory holds more. */
const MAX_LISTED = 20_000

/** Maximum size of a file that is read. Real entries are far smaller. */
const MAX_BYTES = 64 * 1024 * 1024

const DAY_MS = 86_400_000

type Options = {
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** Opens a cache in a local directory. */
export const cacheDirectoryTarget = (directory: string, { now }: Options): CacheTarget => {
  const bodies = diskCacheClient({ directory, files, writer: String(process.pid) })
  const open = async (maxFiles: number, maxBytes: number): Promise<LocalCache<ListedMetadata>> => {
    try {
      return await openLocalCache({
        directory,
        maxFiles,
        maxBytes,
        describe: listedMetadata,
        clock: () => performance.now(),
      })
    } catch (cause) {
      throw new UserError(`${directory} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      })
    }
  }
  /** Lists every file. Reads bodies only if a rule depends on their contents. */
  const listAll = async (withBodies: boolean): Promise<ReadonlyArray<LocalEntry<ListedMetadata>>> =>
    (await (await open(Number.POSITIVE_INFINITY, withBodies ? MAX_BYTES : -1)).snapshot()).entries

  return {
    stats: async () => {
      const entries = await listAll(false)
      const oldest = entries.at(-1)
      return {
        entries: entries.length,
        total_bytes: totalSize(entries),
        oldest_entry_at: oldest ? rfc3339(oldest.modified_at) : null,
      }
    },
    list: async ({ sort = 'created', order = 'desc', ...filters }, limit) =>
      listLocalEntries(await (await open(MAX_LISTED, MAX_BYTES)).snapshot(), filters, { sort, order }, { limit }),
    show: async (key, raw) => {
      const file = await (await open(0, MAX_BYTES)).read(key)
      return file && readLocalEntry(key, file, raw)
    },
    get: async (key) => (await (await open(0, MAX_BYTES)).read(key))?.bytes ?? null,
    put: (key, bytes) => withUserErrors(bodies.put(key, bytes)),
    prune: async (pruning) => {
      if (pruning === null)
        throw new UserError('a directory has no configured limits: use a rule instead, such as --older-than-days')
      const { empty_reasons, model, kind } = pruning
      const entries = await listAll(empty_reasons !== undefined || model !== undefined || kind !== undefined)
      const pruned = toPrune(entries, pruning, now())
      for (const { key } of pruned) await files.rm(join(directory, cachePath(key)), { force: true })
      return pruned.length
    },
  }
}

const totalSize = (entries: ReadonlyArray<{ readonly size: number }>): number =>
  entries.reduce((sum, { size }) => sum + size, 0)

type Entry = LocalEntry<ListedMetadata>

/**
 * Returns the entries to delete. `entries` are all entries, newest first. Files do not record their last access, so the
 * oldest entries are treated as the least recently used.
 */
export const toPrune = (entries: readonly Entry[], { target_bytes, ...rules }: Pruning, now: number): Entry[] => {
  const matches = matcherOf(rules, now)
  const [pruned, remaining] = [entries.filter(matches), entries.filter((entry) => !matches(entry))]
  let total = totalSize(remaining)
  while (target_bytes !== undefined && total > target_bytes) {
    const oldest = remaining.pop()
    if (!oldest) break
    pruned.push(oldest)
    total -= oldest.size
  }
  return pruned
}

const matcherOf = (
  { older_than_days, newer_than_days, empty_reasons, model, kind }: Omit<Pruning, 'target_bytes'>,
  now: number,
) => {
  const rules: Array<(entry: Entry) => boolean> = []
  if (older_than_days !== undefined) rules.push(({ modified_at }) => modified_at < now - older_than_days * DAY_MS)
  if (newer_than_days !== undefined) rules.push(({ modified_at }) => modified_at >= now - newer_than_days * DAY_MS)
  if (empty_reasons !== undefined) rules.push(({ metadata }) => empty_reasons.includes(metadata?.empty_reason ?? ''))
  if (model !== undefined) rules.push(({ metadata }) => metadata?.model === model)
  if (kind !== undefined) rules.push(({ metadata }) => metadata?.kind === kind)
  // Without a rule no entry matches: only `target_bytes` then deletes entries.
  return (entry: Entry): boolean => rules.length > 0 && rules.every((rule) => rule(entry))
}

const withUserErrors = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (error instanceof CacheUnavailable) throw new UserError(error.message, { cause: error })
    throw error
  }
}
