import { existsSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findBackup, readBackup, type Manifest } from '../../maintenance/backup/folder.ts'
import { counted } from '../../domain/plain/counted.ts'
import { mebibytes } from '../../maintenance/backup/backup.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { rootAt } from '../../queries/log/tree.ts'
import { checkStateDirectory, StateDirectoryUnusable } from '../../storage/disk/state-directory.ts'
import { findHead } from '../../storage/log/head.ts'
import { freePages } from '../../storage/sqlite/compact.ts'
import type { NamedStore } from '../store/store-options.ts'
import { openStoreReader } from '../store/store-reader.ts'
import { failure, ok, warning, type Finding } from './finding.ts'

const MIB = 2 ** 20
/** A disk with less than this, or less than a tenth, is soon full. */
const LOW_BYTES = 1024 * MIB
const FULL_BYTES = 64 * MIB
const LOW_PART = 0.1

/** The state of a disk from its free bytes and its size. */
export const diskFinding = (free: number, size: number): Finding => {
  const message = `${mebibytes(free)} of ${mebibytes(size)} are free`
  const remedy =
    'free space, take a larger disk, or set a retention (docs/retention.md); "ers compact" gives the space of deleted rows back'
  if (free < FULL_BYTES) return failure('disk', message, remedy)
  return free < LOW_BYTES || free < size * LOW_PART ? warning('disk', message, remedy) : ok('disk', message)
}

/** Free pages are worth a line if they are more than half of the file, and not little. */
const MANY_FREE_BYTES = 256 * MIB

/** Checks the folder, its disk and its permissions. `hasStore` is whether it holds a store that can be opened. */
export const checkStateFolder = (
  dataDir: string,
): { readonly findings: readonly Finding[]; readonly hasStore: boolean } => {
  try {
    checkStateDirectory(dataDir)
  } catch (error) {
    if (!(error instanceof StateDirectoryUnusable)) throw error
    const remedy = 'create the folder for the user of the service, or name another one: --data-dir or SERVICE_DATA_DIR'
    return { findings: [failure('permissions', error.message, remedy)], hasStore: false }
  }
  const { bavail, blocks, bsize } = statfsSync(dataDir)
  const findings = [diskFinding(bavail * bsize, blocks * bsize), ...permissionFindings(dataDir)]
  const file = join(dataDir, 'service.db')
  if (!existsSync(file))
    return {
      findings: [
        ...findings,
        warning(
          'store',
          `there is no service.db in ${dataDir}`,
          'nothing, before the first start; otherwise name the folder with --data-dir',
        ),
      ],
      hasStore: false,
    }
  return { findings, hasStore: true }
}

/** The owner alone may use the files: they hold password hashes, and the key that signs checkpoints. */
const permissionFindings = (dataDir: string): readonly Finding[] => {
  // Windows has no such permissions.
  if (process.platform === 'win32') return [ok('permissions', 'not checked on Windows')]
  const open = ['', 'service.db', 'cache.db', 'checkpoint-key']
    .map((name) => join(dataDir, name))
    .filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0)
  return open.length === 0
    ? [ok('permissions', `${dataDir} can be written to, and is for its owner alone`)]
    : open.map((path) =>
        warning(
          'permissions',
          `other users of this machine may use ${path} (mode ${(statSync(path).mode & 0o777).toString(8)})`,
          `chmod ${statSync(path).isDirectory() ? '700' : '600'} ${path}`,
        ),
      )
}

/** Whether much of a file holds nothing. */
export const checkSpace = (dataDir: string): readonly Finding[] =>
  ['service.db', 'cache.db']
    .map((name) => join(dataDir, name))
    .filter((file) => existsSync(file))
    .flatMap((file) => {
      const { bytes, free } = freePages(file)
      return free > MANY_FREE_BYTES && free > bytes / 2
        ? [warning('space', `${mebibytes(free)} of ${mebibytes(bytes)} of ${file} are free pages`, 'run "ers compact"')]
        : []
    })

const HOUR_MS = 3_600_000
/** A nightly backup is older than this only if one failed. */
const OLD_HOURS = 36

/** Whether the log of a store begins with the `size` records of a root (hex). */
const beginsWith = async (store: NamedStore, { size, root }: Manifest): Promise<boolean> => {
  const reader = await openStoreReader(store)
  try {
    const head = await reader.read(findHead)
    return head.size >= size && (await rootAt(reader, size)).toString('hex') === root
  } finally {
    await reader.close()
  }
}

/**
 * Whether the newest backup of a folder is whole, new, and of this store. `folder` is null if none was named, and `store`
 * if it cannot be read.
 */
export const checkBackups = async (folder: string | null, store: NamedStore | null, now: number): Promise<Finding> => {
  if (folder === null)
    return warning('backup', 'no folder of backups was named', 'name it with --backups; "ers backup" makes backups')
  try {
    const path = findBackup(folder)
    const manifest = await readBackup(path)
    if (store !== null && !(await beginsWith(store, manifest)))
      return failure(
        'backup',
        `the newest backup, ${path}, is of another store: the log here does not begin with its ${counted(manifest.size, 'record')}`,
        'name the folder of this store\'s backups; if the store was replaced or put back to an earlier state, find out why, and run "ers backup" into a new folder',
      )
    const hours = Math.floor((now - Date.parse(manifest.made_at)) / HOUR_MS)
    // Its name stays the newest, so failures of later ones would not show.
    if (hours < -1)
      return warning(
        'backup',
        `the newest backup, ${path}, is of the future`,
        'correct the clock, and move that backup away',
      )
    const message = `the newest backup, ${path}, is ${counted(Math.max(0, hours), 'hour')} old`
    return hours > OLD_HOURS
      ? warning('backup', message, 'see why the job that runs "ers backup" failed, or run it now')
      : ok('backup', message)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return failure('backup', error.message, 'run "ers backup" now, and each night')
  }
}
