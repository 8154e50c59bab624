import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { errorCode } from '../../domain/plain/error-code.ts'
import { PARTS_FOLDER, storeFile } from '../../storage/objects/file-store.ts'
import { fileBytes } from '../../storage/sqlite/backup.ts'
import { UserError } from '../user-error.ts'
import { countParts } from './parts.ts'

// A folder of backups has a folder for each. A backup is made and removed under a name that begins with PARTIAL, so whatever has
// the name of a backup is whole.

export const MANIFEST = 'backup.json'
/** The file of the lock, and with more behind it, its journal. */
export const LOCK = '.lock'
export const PARTIAL = '.partial-'
const NAME = /^backup-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/

/** Folders that a file system makes by itself. */
const OF_THE_SYSTEM = ['lost+found']

/** The name of a backup that is made at an instant, in epoch milliseconds. Names sort by time. */
export const backupName = (at: number): string => `backup-${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}`

/** The files that a backup may have, and their names in a state directory. The store is last: it makes a folder a store. */
export const FILES = ['checkpoint-key', 'checkpoint', 'head', 'cache.db', 'service.db'] as const

const Manifest = z.object({
  format: z.literal(1),
  version: z.string(),
  made_at: z.iso.datetime(),
  size: z.number().int().min(0),
  root: z.string().regex(/^[0-9a-f]{64}$/),
  files: z.partialRecord(z.enum(FILES), z.number().int().min(0)),
  parts: z.object({ objects: z.number().int().min(1), bytes: z.number().int().min(1) }).optional(),
})

/** What a backup says about itself: when it was made, the head of its log (`root` in hex), its files with their bytes, and how many files have large parts of evidence. */
export type Manifest = z.infer<typeof Manifest>

/** The bytes of all files of a backup. */
export const backupBytes = ({ files, parts }: Pick<Manifest, 'files' | 'parts'>): number =>
  Object.values(files).reduce((sum, size) => sum + size, parts?.bytes ?? 0)

/** Reads a folder. Throws `UserError` where it cannot be read. */
const entriesOf = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch (error) {
    throw new UserError(`${folder} cannot be read (${errorCode(error)})`, { cause: error })
  }
}

/** What a folder contains, without what the file system made. */
export const contentOf = (folder: string): readonly string[] =>
  entriesOf(folder).filter((name) => !OF_THE_SYSTEM.includes(name))

/**
 * The names of the backups in a folder, the newest first. Throws `UserError` if the folder contains anything else: the
 * folder may be named by mistake.
 */
export const listBackups = (folder: string): readonly string[] => {
  const names = contentOf(folder)
  const strange = names.find(
    (name) =>
      !name.startsWith(LOCK) &&
      !name.startsWith(PARTIAL) &&
      !(NAME.test(name) && existsSync(join(folder, name, MANIFEST))),
  )
  if (strange !== undefined)
    throw new UserError(
      `${folder} contains ${strange}, which no backup made: name an empty folder, or one that only holds backups`,
    )
  return names.filter((name) => NAME.test(name)).toSorted((a, b) => (a < b ? 1 : -1))
}

/**
 * The folder of one backup: the given one, or the newest in a folder of backups. Throws `UserError` if there is none.
 */
export const findBackup = (folder: string): string => {
  if (!existsSync(folder)) throw new UserError(`there is no folder ${folder}`)
  if (existsSync(join(folder, MANIFEST))) return folder
  const [newest] = listBackups(folder)
  if (newest === undefined) throw new UserError(`${folder} holds no backup: "ers backup" makes one`)
  return join(folder, newest)
}

/**
 * Reads what a backup says about itself, and checks that its files are those that were made. Throws `UserError` for a file
 * that is missing, of another size, or of no backup.
 */
export const readBackup = async (backup: string): Promise<Manifest> => {
  const file = join(backup, MANIFEST)
  let manifest: Manifest
  try {
    manifest = Manifest.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const reason = errorCode(error) ?? 'it is not what "ers backup" of this version writes'
    throw new UserError(`${file} cannot be read (${reason})`, { cause: error })
  }
  const { files, parts } = manifest
  const lacking = (['head', 'service.db'] as const).find((name) => files[name] === undefined)
  if (lacking !== undefined) throw new UserError(`${file} names no ${lacking}`)
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(backup, name)
    if (fileBytes(path) !== bytes || !lstatSync(path).isFile())
      throw new UserError(`${path} is not the file that was backed up: it should have ${bytes} bytes`)
  }
  if (parts !== undefined) {
    const folder = join(backup, PARTS_FOLDER)
    const found = await countParts(folder)
    if (found.objects !== parts.objects || found.bytes !== parts.bytes || fileBytes(storeFile(folder)) === null)
      throw new UserError(
        `${folder} has ${found.objects} files of ${found.bytes} bytes, but ${parts.objects} of ${parts.bytes} bytes were backed up`,
      )
  }
  const strange = contentOf(backup).find(
    (name) => name !== MANIFEST && !Object.hasOwn(files, name) && !(parts !== undefined && name === PARTS_FOLDER),
  )
  if (strange !== undefined)
    throw new UserError(`${backup} contains ${strange}, which is no part of the backup: move it away`)
  return manifest
}
