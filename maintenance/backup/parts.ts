import { chmodSync, constants, copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFile, syncFolder } from '../../storage/disk/replace-file.ts'
import { listObjectFiles, objectFile, objectFileBytes, storeFile } from '../../storage/objects/file-store.ts'
import { checkObject } from '../../storage/objects/read-part.ts'
import { objectReader } from '../../storage/objects/read-object.ts'
import { countObjectsIn, listKnownObjects } from '../../storage/objects/rows.ts'
import type { Query } from '../../storage/storage.ts'
import { errorCode } from '../../domain/plain/error-code.ts'
import { storedObjects } from '../stored-objects.ts'
import { UserError } from '../user-error.ts'
import { sampledShare } from '../verify/part-sample.ts'

/** The files of large parts in a backup. */
export type CopiedParts = { readonly objects: number; readonly bytes: number }

/** A file was removed after the snapshot that names it: its run was deleted or erased meanwhile. */
export class PartGone extends Error {
  override readonly name = 'PartGone'
}

type Copy = {
  /** Reads the snapshot of the store that is in the backup. */
  readonly read: <T>(query: Query<T>) => T
  /** Reads the store as it is now. */
  readonly readNow: <T>(query: Query<T>) => T
  readonly from: string
  readonly to: string
  readonly signal: AbortSignal
  readonly random: () => number
}

/**
 * Copies the files that a snapshot of a store names, after the snapshot, and puts them on disk. Files never change, so those that are there
 * already stay. Each copy must have its length, and a sample is opened with its key. Returns null if there are no files. Throws `PartGone`, and
 * `UserError` for damage.
 */
export const copyParts = async ({ read, readNow, from, to, signal, random }: Copy): Promise<CopiedParts | null> => {
  const total = read(countObjectsIn('files'))
  if (total === 0) {
    // An earlier try may have begun it.
    rmSync(to, { recursive: true, force: true })
    return null
  }
  const share = sampledShare(total)
  const readCopy = objectReader({ read, partsFolder: to })
  mkdirSync(to, { recursive: true, mode: 0o700 })
  copyOwn(storeFile(from), storeFile(to))
  const folders = new Set<string>([to, join(to, 'objects')])
  const copied = { objects: 0, bytes: 0 }
  const damaged = (cause: Error): UserError => new UserError(`${cause.message}: run "ers verify"`, { cause })
  for await (const object of storedObjects(read, 'files', damaged)) {
    signal.throwIfAborted()
    const { object_id, lengths } = object
    const bytes = lengths.reduce((sum, length) => sum + length, 0)
    const copy = objectFile(to, object_id)
    if ((await objectFileBytes(to, object_id)) !== bytes) {
      folders.add(dirname(copy))
      await mkdir(dirname(copy), { recursive: true, mode: 0o700 })
      await copyFile(objectFile(from, object_id), copy, constants.COPYFILE_FICLONE).catch((error: unknown) => {
        if (errorCode(error) !== 'ENOENT') throw error
        if (readNow(listKnownObjects([object_id])).get(object_id) !== 'stored')
          throw new PartGone(object_id, { cause: error })
        throw new UserError(`${objectFile(from, object_id)} is missing: run "ers verify"`, { cause: error })
      })
      chmodSync(copy, 0o600)
      syncFile(copy)
    }
    if ((await objectFileBytes(to, object_id)) !== bytes)
      throw new UserError(
        `${objectFile(from, object_id)} has not the ${bytes} bytes that were stored: run "ers verify"`,
      )
    if (random() < share)
      await checkObject(readCopy, object).catch((cause: unknown) => {
        throw new UserError(`${objectFile(from, object_id)} is damaged: run "ers verify --parts all"`, { cause })
      })
    copied.objects++
    copied.bytes += bytes
  }
  // An earlier try may have copied what was erased since.
  for await (const files of listObjectFiles(to)) {
    const known = read(listKnownObjects(files.map(({ object_id }) => object_id)))
    for (const { object_id, path } of files) if (known.get(object_id) !== 'stored') rmSync(path)
  }
  for (const folder of folders) syncFolder(folder)
  return copied
}

const copyOwn = (from: string, to: string): void => {
  copyFileSync(from, to)
  chmodSync(to, 0o600)
  syncFile(to)
}

/** Counts the files of large parts in a backup. */
export const countParts = async (folder: string): Promise<CopiedParts> => {
  const found = { objects: 0, bytes: 0 }
  for await (const files of listObjectFiles(folder)) {
    found.objects += files.length
    found.bytes += files.reduce((sum, { bytes }) => sum + bytes, 0)
  }
  return found
}

/** Copies the files of large parts of a backup into an empty folder. */
export const restoreParts = async (from: string, to: string): Promise<void> => {
  mkdirSync(to, { mode: 0o700 })
  copyOwn(storeFile(from), storeFile(to))
  const folders = new Set<string>([to, join(to, 'objects')])
  for await (const files of listObjectFiles(from))
    for (const { object_id, path } of files) {
      const copy = objectFile(to, object_id)
      folders.add(dirname(copy))
      mkdirSync(dirname(copy), { recursive: true, mode: 0o700 })
      await copyFile(path, copy, constants.COPYFILE_FICLONE)
      chmodSync(copy, 0o600)
      syncFile(copy)
    }
  for (const folder of folders) syncFolder(folder)
}
