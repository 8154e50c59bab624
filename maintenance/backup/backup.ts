import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { errorCode } from '../../domain/plain/error-code.ts'
import { findCheckpoint, findNewestCheckpoint } from '../../queries/log/checkpoints.ts'
import { syncFile, syncFolder } from '../../storage/disk/replace-file.ts'
import {
  copySnapshot,
  fileBytes,
  FolderTaken,
  headOf,
  isFullDisk,
  lockFolder,
  openFileSnapshot,
  writeHeadFile,
  type FileSnapshot,
} from '../../storage/sqlite/backup.ts'
import { countObjectsIn } from '../../storage/objects/rows.ts'
import { PARTS_FOLDER } from '../../storage/objects/file-store.ts'
import { connect } from '../../storage/sqlite/connection.ts'
import { signingGuardOf } from '../../storage/sqlite/signing-guard.ts'
import { noStoreIn } from '../no-store.ts'
import { UserError } from '../user-error.ts'
import { readGuard } from '../verify/guard.ts'
import { hasTable } from '../verify/stored-tables.ts'
import { copyParts, PartGone, type CopiedParts } from './parts.ts'
import { backupName, FILES, listBackups, LOCK, MANIFEST, PARTIAL, type Manifest } from './folder.ts'

export type BackupOptions = {
  readonly dataDir: string
  /** The folder of backups; it is created. */
  readonly folder: string
  /** The version of this build. */
  readonly version: string
  /** The file of the key that signs checkpoints, to be copied too; null leaves it out. */
  readonly keyFile: string | null
  readonly withCache: boolean
  /** How many backups stay in the folder; null removes none. */
  readonly keep: number | null
  readonly now: () => number
  readonly signal: AbortSignal
  /** Called with the number of objects of large parts that are in a bucket, and not in the backup. */
  readonly onBucket?: (objects: number) => void
}

/** A backup that was made: its folder, what it says about itself, and the older backups that were removed. */
export type MadeBackup = { readonly path: string; readonly manifest: Manifest; readonly removed: readonly string[] }

/**
 * Backs a state directory up into a new folder below `folder`, while a server may write. The folder gets its name when it is
 * complete and on disk; what an interrupted backup left is removed. Throws `UserError` for what the caller can change, and
 * the reason of `signal`.
 */
export const makeBackup = async (options: BackupOptions): Promise<MadeBackup> => {
  const { dataDir, folder, keep, now } = options
  if (!existsSync(join(dataDir, 'service.db'))) throw new UserError(noStoreIn(dataDir))
  refuseInside(dataDir, folder)
  return withReason(folder, async () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Before the lock, which leaves a file in the folder.
    listBackups(folder)
    const release = takeLock(folder)
    try {
      for (const name of readdirSync(folder))
        if (name.startsWith(PARTIAL)) rmSync(join(folder, name), { recursive: true, force: true })
      const name = backupName(now())
      const partial = join(folder, `${PARTIAL}${name}`)
      try {
        mkdirSync(partial, { mode: 0o700 })
        const manifest = await fillWhole(partial, options)
        renameSync(partial, join(folder, name))
        syncFolder(folder)
        return { path: join(folder, name), manifest, removed: removeOlder(folder, name, keep) }
      } finally {
        rmSync(partial, { recursive: true, force: true })
      }
    } finally {
      release()
    }
  })
}

/** A backup below the state directory would be lost with it, and would be part of a copy of it. */
const refuseInside = (dataDir: string, folder: string): void => {
  const nearest = (path: string): string => {
    if (existsSync(path)) return realpathSync(path)
    return join(nearest(resolve(path, '..')), relative(resolve(path, '..'), path))
  }
  const [inside, outside] = [nearest(resolve(folder)), realpathSync(dataDir)]
  if (inside === outside || inside.startsWith(outside.endsWith(sep) ? outside : `${outside}${sep}`))
    throw new UserError(
      `${folder} is in the state directory ${dataDir}: name a folder outside of it, best on another disk`,
    )
}

const takeLock = (folder: string): (() => void) => {
  try {
    return lockFolder(join(folder, LOCK))
  } catch (error) {
    if (!(error instanceof FolderTaken)) throw error
    throw new UserError(`another backup into ${folder} is running: wait for it, or name another folder`, {
      cause: error,
    })
  }
}

/** How often a backup begins again because a run with large parts was deleted while it was made. */
const MAX_FILLS = 5

const fillWhole = async (partial: string, options: BackupOptions): Promise<Manifest> => {
  for (let n = 1; ; n++) {
    try {
      return await fill(partial, options)
    } catch (error) {
      if (!(error instanceof PartGone)) throw error
      if (n === MAX_FILLS)
        throw new UserError('runs with evidence are being deleted all the time: make the backup later', {
          cause: error,
        })
    }
    for (const name of FILES) rmSync(join(partial, name), { force: true })
  }
}

/** Copies everything into the new folder, in the order in which no file is older than the store says. */
const fill = async (
  partial: string,
  { dataDir, folder, version, keyFile, withCache, now, signal, onBucket = () => {} }: BackupOptions,
): Promise<Manifest> => {
  const file = join(dataDir, 'service.db')
  const cache = join(dataDir, 'cache.db')
  if (keyFile !== null) copyKey(keyFile, join(partial, 'checkpoint-key'))
  const made_at = new Date(now()).toISOString()
  const snapshot = await openAfterGuard(file, join(partial, 'checkpoint'))
  try {
    refuseTooLarge(folder, snapshot.bytes + (withCache ? (fileBytes(cache) ?? 0) : 0))
    const head = headOf(snapshot)
    await copySnapshot(snapshot, join(partial, 'service.db'), { signal })
    writeHeadFile(join(partial, 'head'), head)
    // After the database: whatever its records name is there, unless it was erased meanwhile.
    const parts = await copyPartsOf(file, snapshot, join(partial, PARTS_FOLDER), signal)
    if (withCache && existsSync(cache)) await copyOnce(cache, join(partial, 'cache.db'), signal)
    const files: Manifest['files'] = {}
    for (const name of FILES) {
      const path = join(partial, name)
      const bytes = fileBytes(path)
      if (bytes === null) continue
      chmodSync(path, 0o600)
      syncFile(path)
      files[name] = bytes
    }
    const manifest: Manifest = {
      ...{ format: 1, version, made_at, size: head.size, root: head.root.toString('hex'), files },
      ...(parts && { parts }),
    }
    const { read } = snapshot.connection
    onBucket(read(hasTable('objects')) ? read(countObjectsIn('s3')) : 0)
    const path = join(partial, MANIFEST)
    writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
    syncFile(path)
    syncFolder(partial)
    return manifest
  } finally {
    snapshot.close()
  }
}

const copyPartsOf = async (
  file: string,
  snapshot: FileSnapshot,
  to: string,
  signal: AbortSignal,
): Promise<CopiedParts | null> => {
  const { read } = snapshot.connection
  // A store of an early version has none.
  if (!read(hasTable('objects'))) return null
  return copyParts({
    read,
    readNow: (query) => {
      const now = connect(file, { readonly: true })
      try {
        return now.read(query)
      } finally {
        now.close()
      }
    },
    from: join(dirname(file), PARTS_FOLDER),
    to,
    signal,
    random: Math.random,
  })
}

const copyOnce = async (file: string, to: string, signal: AbortSignal): Promise<void> => {
  const snapshot = openFileSnapshot(file)
  try {
    await copySnapshot(snapshot, to, { signal })
  } finally {
    snapshot.close()
  }
}

const copyKey = (keyFile: string, to: string): void => {
  try {
    copyFileSync(keyFile, to)
  } catch (error) {
    throw new UserError(`--with-key: the key file ${keyFile} cannot be read (${errorCode(error)})`, { cause: error })
  }
}

/** A running service writes the guard first, and stores the checkpoint soon after. */
const TRIES = 10
const BETWEEN_TRIES_MS = 100

/**
 * Copies the signing guard, then opens a snapshot of the store that has the checkpoint of the guard. If a killed service left
 * a guard whose checkpoint was never stored, the last snapshot is taken as it is.
 */
const openAfterGuard = async (file: string, to: string): Promise<FileSnapshot> => {
  const guard = readGuard(file)
  if (guard !== null) copyFileSync(signingGuardOf(file), to)
  for (let attempt = 1; ; attempt++) {
    const snapshot = openFileSnapshot(file)
    const { read } = snapshot.connection
    if (
      guard === null ||
      attempt === TRIES ||
      !read(hasTable('checkpoints')) ||
      read(findCheckpoint(guard.size)) !== null ||
      (read(findNewestCheckpoint)?.size ?? 0) > guard.size
    )
      return snapshot
    snapshot.close()
    await wait(BETWEEN_TRIES_MS)
  }
}

/** Removes the oldest backups. Each is renamed first, so that no half of one has the name of a backup. */
const removeOlder = (folder: string, made: string, keep: number | null): readonly string[] => {
  if (keep === null) return []
  const older = listBackups(folder).filter((name) => name !== made)
  const removed = older.slice(keep - 1)
  for (const name of removed) {
    const partial = join(folder, `${PARTIAL}${name}`)
    renameSync(join(folder, name), partial)
    rmSync(partial, { recursive: true, force: true })
  }
  return removed
}

/** Throws `UserError` if the disk of a folder has not this many bytes. */
export const refuseTooLarge = (folder: string, bytes: number): void => {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < bytes)
    throw new UserError(`${folder}: ${mebibytes(bytes)} are needed, and the disk has ${mebibytes(bavail * bsize)} free`)
}

/** Bytes as MiB with one decimal. */
export const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** Rethrows what a full disk or missing permissions cause as `UserError` that names the folder. */
export const withReason = async <T>(folder: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (isFullDisk(error))
      throw new UserError(`${folder}: the disk is full. What was copied was removed: free space, or use another disk`, {
        cause: error,
      })
    const code = errorCode(error)
    if (code !== undefined && /^(?:EACCES|EPERM|EROFS|ENOTDIR|EEXIST)$/.test(code))
      throw new UserError(`${folder} cannot be written to (${code}): ${(error as Error).message}`, { cause: error })
    throw error
  }
}
