import Database from 'better-sqlite3'
import { unwritableFile } from '../disk/state-directory.ts'
import { DocumentDamaged, DocumentMissing } from '../documents/errors.ts'

/** The store's file is damaged, as SQLite or a rebuild found. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged'
}

/**
 * Runs a function that opens a store. Damage that SQLite or a rebuild finds is reported with the file's name and the
 * remedies. Throws `StoreDamaged`, or `StateDirectoryUnusable` if the file cannot be written.
 */
export const asDamage = <T>(file: string, open: () => T): T => {
  try {
    return open()
  } catch (error) {
    throw damageOf(file, error)
  }
}

/** Like `asDamage`, for a function that waits. */
export const asDamageLater = async <T>(file: string, open: () => Promise<T>): Promise<T> => {
  try {
    return await open()
  } catch (error) {
    throw damageOf(file, error)
  }
}

const damageOf = (file: string, error: unknown): unknown => {
  if (error instanceof DocumentMissing || error instanceof DocumentDamaged) return damaged(file, error.message, error)
  if (!(error instanceof Database.SqliteError)) return error
  if (/^SQLITE_(CANTOPEN|READONLY|PERM)/.test(error.code)) return unwritableFile(file, error.code, error)
  if (!/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) return error
  return damaged(file, `${error.code}: ${error.message}`, error)
}

const damaged = (file: string, detail: string, cause: Error): StoreDamaged =>
  new StoreDamaged(
    `${file} is damaged (${detail}). Run "ers verify" to see how much of the record can be read, ` +
      'then restore a backup or a copy of the whole state directory.',
    { cause },
  )
