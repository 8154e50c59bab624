import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { syncFile, syncFolder } from '../disk/replace-file.ts'
import { asUnavailable } from './connection.ts'
import { asDamage } from './damage.ts'

// Deleted rows leave free pages in a file, which later rows use again. Only a file with `auto_vacuum = INCREMENTAL` can give
// them back in steps; any other one has to be written again (https://sqlite.org/pragma.html#pragma_auto_vacuum). New files are
// made with it (`connection.ts`); those of earlier versions are not.

const INCREMENTAL = 2

/** How long one step may take: commits of a server wait for it. */
const STEP_MS = 20
const FIRST_STEP_PAGES = 64
const MAX_STEP_PAGES = 4096
/** How often the file is checked after the last step, while reads hold the write-ahead log, and the pause between. */
const TRUNCATIONS = 20
const TRUNCATION_PAUSE_MS = 100

/** The pages of a file in bytes: all, and those that hold nothing. */
export type FreePages = { readonly bytes: number; readonly free: number; readonly canGiveBack: boolean }

type Pragmas = Pick<Database.Database, 'pragma'>

const open = (file: string): Database.Database =>
  asDamage(file, () => {
    const database = new Database(file, { fileMustExist: true, timeout: 10_000 })
    // A page that is cut off has content that was deleted.
    database.pragma('secure_delete = ON')
    database.pragma('synchronous = FULL')
    return database
  })

const pagesOf = (database: Pragmas): FreePages => {
  const number = (name: string): number => database.pragma(name, { simple: true }) as number
  const size = number('page_size')
  return {
    bytes: number('page_count') * size,
    free: number('freelist_count') * size,
    canGiveBack: number('auto_vacuum') === INCREMENTAL,
  }
}

/** Reads the free pages of a file. Throws `StoreDamaged`, `StateDirectoryUnusable` or `Unavailable`. */
export const freePages = (file: string): FreePages => {
  const database = open(file)
  try {
    return pagesOf(database)
  } catch (error) {
    throw asUnavailable(error)
  } finally {
    database.close()
  }
}

/**
 * Gives free pages back to the disk in short steps, each followed by a rest of the same length, until there are none, `isOver`
 * returns true, or `signal` is aborted. A server goes on: its commits wait for one step. Returns the pages at the end. Throws
 * `Unavailable`.
 */
export const giveBackPages = async (
  file: string,
  { isOver, signal }: { readonly isOver: () => boolean; readonly signal: AbortSignal },
): Promise<FreePages> => {
  const database = open(file)
  try {
    let pages = FIRST_STEP_PAGES
    while (pagesOf(database).free > 0 && !isOver() && !signal.aborted) {
      const from = performance.now()
      // A transaction of its own, which waits for that of a server.
      database.transaction(() => database.pragma(`incremental_vacuum(${pages})`)).immediate()
      const ms = performance.now() - from
      pages = Math.max(1, Math.min(MAX_STEP_PAGES, Math.round((pages * STEP_MS) / Math.max(ms, 1)), pages * 2))
      await rest(Math.ceil(ms))
    }
    const state = pagesOf(database)
    // The file gets shorter when the write-ahead log has been copied into it as a whole.
    for (let n = 0; n < TRUNCATIONS && statSync(file).size > state.bytes && !signal.aborted; n++) {
      database.pragma('wal_checkpoint(PASSIVE)')
      if (statSync(file).size > state.bytes) await rest(TRUNCATION_PAUSE_MS)
    }
    return state
  } catch (error) {
    throw asUnavailable(error)
  } finally {
    database.close()
  }
}

/** Another process has a file open that has to be written again. */
export class FileInUse extends Error {
  override readonly name = 'FileInUse'
}

/**
 * Writes a file again without its free pages, so that it can give pages back in steps from then on. The new file replaces the
 * old one when it is on disk; until then the old one is unchanged. No server may use the file. Throws `FileInUse` if anything
 * else has it open, and `Unavailable`, of which `DiskFull` is one.
 */
export const writeAgain = (file: string): FreePages => {
  const part = `${file}.part`
  rmSync(part, { force: true })
  const database = open(file)
  try {
    database.pragma('busy_timeout = 0')
    database.pragma('locking_mode = EXCLUSIVE')
    // Only the last connection can leave the write-ahead log; then no reader holds a part of the file that is in it.
    database.pragma('journal_mode = DELETE')
    database.pragma('auto_vacuum = INCREMENTAL')
    database.prepare('VACUUM INTO ?').run(part)
    syncFile(part)
  } catch (error) {
    rmSync(part, { force: true })
    if (error instanceof Database.SqliteError && /^SQLITE_(?:BUSY|LOCKED)/.test(error.code))
      throw new FileInUse(`${file} is open in another process`, { cause: error })
    throw asUnavailable(error)
  } finally {
    database.close()
  }
  if (existsSync(`${file}-wal`)) throw new FileInUse(`${file} has a write-ahead log`)
  renameSync(part, file)
  syncFolder(dirname(file))
  return freePages(file)
}
