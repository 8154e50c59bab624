import Database from 'better-sqlite3'

/** The store's file is not whole, as far as SQLite can see. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged'
}

/** Runs what opens a store; what SQLite finds damaged there is told with the file's name and the ways out. */
export const asDamage = <T>(file: string, open: () => T): T => {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) throw error
    throw new StoreDamaged(
      `${file} is damaged (${error.code}: ${error.message}). "ers verify" tells how much of the record can be read; put a backup back, or a copy of the whole state directory`,
      { cause: error },
    )
  }
}
