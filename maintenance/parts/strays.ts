import { existsSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { listObjectFiles, type ObjectFile } from '../../storage/objects/file-store.ts'
import { listKnownObjects } from '../../storage/objects/rows.ts'
import type { Query } from '../../storage/storage.ts'

/**
 * The folder of large parts of a state directory. A service may go on: `readNow` reads the store as it is now, because files have no
 * snapshot.
 */
export type PartFiles = { readonly folder: string; readonly readNow: <T>(query: Query<T>) => Promise<T> }

/**
 * The files that no row of the store names. A row is written before its file, so there are none unless rows were lost: when a database is
 * older than its folder, as after a restore.
 */
export async function* listStrays({ folder, readNow }: PartFiles): AsyncGenerator<ObjectFile> {
  for await (const files of listObjectFiles(folder)) {
    const known = await readNow(listKnownObjects(files.map(({ object_id }) => object_id)))
    for (const file of files)
      // It may have been removed after it was listed.
      if (!known.has(file.object_id) && existsSync(file.path)) yield file
  }
}

/** How old a stray must be before it is removed: a database that was restored by mistake is noticed in this time. */
export const MIN_STRAY_AGE_MS = 7 * 86_400_000

/** How many strays there are, how many of them are old enough to be removed, and the bytes of those. */
export type Strays = { readonly found: number; readonly old: number; readonly bytes: number }

/** How a sweep of strays goes: the time in epoch milliseconds, and whether it only counts. */
export type StraySweep = { readonly now: number; readonly dry_run: boolean; readonly signal: AbortSignal }

/** Counts strays, and removes the old ones unless it is a dry run. */
export const sweepStrays = async (files: PartFiles, { now, dry_run, signal }: StraySweep): Promise<Strays> => {
  const strays = { found: 0, old: 0, bytes: 0 }
  for await (const { path, bytes, changed_at } of listStrays(files)) {
    signal.throwIfAborted()
    strays.found++
    if (now - changed_at < MIN_STRAY_AGE_MS) continue
    if (!dry_run) await unlink(path)
    strays.old++
    strays.bytes += bytes
  }
  return strays
}
