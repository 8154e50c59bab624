import { copyFileSync, constants, chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { syncFile, syncFolder } from '../../storage/disk/replace-file.ts'
import { PARTS_FOLDER } from '../../storage/objects/file-store.ts'
import { takeStateDirectory } from '../../storage/sqlite/instance-lock.ts'
import { UserError } from '../user-error.ts'
import { mebibytes, refuseTooLarge, withReason } from './backup.ts'
import { backupBytes, contentOf, FILES, findBackup, readBackup, type Manifest } from './folder.ts'
import { restoreParts } from './parts.ts'

/** Where files are copied until they are verified. */
const RESTORING = '.restoring'
/** What may be in an empty state directory: the lock, and what an interrupted restore left. */
const LEFT = new Set([RESTORING, 'lock.db', 'lock.db-journal', 'holder.json'])

export type RestoreOptions = {
  /** A backup, or a folder of backups, of which the newest is taken. */
  readonly folder: string
  readonly dataDir: string
  readonly now: () => number
  /** Verifies the copy in a folder against the head of the backup. Returns whether the copy may be used. */
  readonly verify: (copy: string, head: { readonly size: number; readonly root: string }) => Promise<boolean>
}

export type Restored = { readonly from: string; readonly manifest: Manifest; readonly bytes: number }

/**
 * Restores a backup into an empty state directory, or one that does not exist. The files get their names only after `verify`
 * accepted them, the store last. Returns null if it did not; the directory then holds no store. Throws `UserError`, and
 * `StateDirectoryTaken` if a server uses the directory.
 */
export const restoreBackup = async ({ folder, dataDir, now, verify }: RestoreOptions): Promise<Restored | null> => {
  const from = findBackup(folder)
  const manifest = await readBackup(from)
  const names = FILES.filter((name) => manifest.files[name] !== undefined)
  const bytes = backupBytes(manifest)
  if (existsSync(dataDir)) refuseOccupied(dataDir)
  const release = takeStateDirectory(dataDir, now)
  const copy = join(dataDir, RESTORING)
  try {
    return await withReason(dataDir, async () => {
      // A server may have started and stopped before the lock was taken.
      refuseOccupied(dataDir)
      rmSync(copy, { recursive: true, force: true })
      refuseTooLarge(dataDir, bytes)
      mkdirSync(copy, { mode: 0o700 })
      for (const name of names) {
        const path = join(copy, name)
        copyFileSync(join(from, name), path, constants.COPYFILE_FICLONE)
        chmodSync(path, 0o600)
        syncFile(path)
      }
      const parts = join(copy, PARTS_FOLDER)
      if (manifest.parts) await restoreParts(join(from, PARTS_FOLDER), parts)
      if (!(await verify(copy, manifest))) return null
      if (manifest.parts) renameSync(parts, join(dataDir, PARTS_FOLDER))
      for (const name of names) renameSync(join(copy, name), join(dataDir, name))
      syncFolder(dataDir)
      return { from, manifest, bytes }
    })
  } finally {
    rmSync(copy, { recursive: true, force: true })
    release()
  }
}

const refuseOccupied = (dataDir: string): void => {
  const found = contentOf(dataDir).find((name) => !LEFT.has(name))
  if (found !== undefined)
    throw new UserError(
      `${dataDir} is not empty: it contains ${found}. A restore overwrites nothing: name an empty folder, or move what is there away`,
    )
}

/** What a restore says at its end. */
export const restoredText = ({ from, manifest, bytes }: Restored, dataDir: string): string =>
  `restored ${from} into ${dataDir}: ${manifest.size} records of ${manifest.made_at}, ${mebibytes(bytes)}`
