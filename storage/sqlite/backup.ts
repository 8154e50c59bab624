import { closeSync, fsyncSync, openSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { DiskFull } from '../errors.ts'
import { findHead } from '../log/head.ts'
import type { Head } from '../storage.ts'
import { asUnavailable, connect, type Connection } from './connection.ts'
import { asDamage } from './damage.ts'
import { openHeadFile } from './head-file.ts'

/** Pages of one step: 2 MiB of the store. */
const STEP_PAGES = 256
/** How often what was copied is put on disk, in steps: a commit of a server waits for a flush that it meets. */
const STEPS_PER_SYNC = 2
/** The rest after a step, as a multiple of the time that the step and its flush took. */
const REST_RATIO = 4
const MAX_REST_MS = 500

/** A database file as it was at one moment. Servers go on writing meanwhile. */
export type FileSnapshot = {
  readonly connection: Connection
  /** The size of the database in this snapshot, in bytes. */
  readonly bytes: number
  readonly close: () => void
}

/** Opens a snapshot of a file. Throws `StoreDamaged`, `StateDirectoryUnusable` or `Unavailable`. */
export const openFileSnapshot = (file: string): FileSnapshot => {
  const connection = asDamage(file, () => connect(file, { readonly: true }))
  try {
    const bytes = asDamage(file, () => {
      connection.database.exec('BEGIN')
      const pages = connection.database.pragma('page_count', { simple: true }) as number
      return pages * (connection.database.pragma('page_size', { simple: true }) as number)
    })
    return { connection, bytes, close: connection.close }
  } catch (error) {
    connection.close()
    throw asUnavailable(error)
  }
}

/** The head of the log in a snapshot of a store. */
export const headOf = ({ connection }: FileSnapshot): Head => connection.read(findHead)

/** Blocks this thread, which does nothing but copy: the library takes no promise between two steps. */
const rest = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/**
 * Copies a snapshot into a new file with SQLite's backup interface (https://sqlite.org/backup.html), and puts it on disk. The
 * copy is one file, without a write-ahead log. It takes about a fifth of the time of this thread and of the disk, so that a
 * server goes on. Throws the reason of `signal` when it is aborted, and `Unavailable`, of which `DiskFull` is one.
 */
export const copySnapshot = async (
  { connection }: FileSnapshot,
  to: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> => {
  // Held to the end: closing any descriptor of a file gives up the locks that this process has on it.
  let descriptor: number | undefined
  let steps = 0
  let from = performance.now()
  try {
    await connection.database.backup(to, {
      progress: () => {
        signal.throwIfAborted()
        // The first call precedes the first step.
        if (steps > 0) {
          descriptor ??= openSync(to, 'r')
          if (steps % STEPS_PER_SYNC === 0) fsyncSync(descriptor)
          rest(Math.min(MAX_REST_MS, REST_RATIO * (performance.now() - from)))
        }
        steps++
        from = performance.now()
        return STEP_PAGES
      },
    })
  } catch (error) {
    throw asUnavailable(error)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
  const copy = new Database(to)
  try {
    copy.pragma('journal_mode = DELETE')
  } catch (error) {
    throw asUnavailable(error)
  } finally {
    copy.close()
  }
}

/** Writes the head file that belongs to a store whose log has this head. Throws if it cannot be written. */
export const writeHeadFile = (file: string, head: Head): void => {
  let failure: unknown
  const headFile = openHeadFile(file, { onFailure: (error) => (failure = error) })
  headFile.note(head)
  headFile.close()
  if (failure instanceof Error) throw failure
}

/** Another process holds the lock of a folder. */
export class FolderTaken extends Error {
  override readonly name = 'FolderTaken'
}

/**
 * Takes the lock of a folder, which ends with this process, and returns the function that releases it. The lock is on a file
 * of the folder. Throws `FolderTaken`.
 */
export const lockFolder = (lockFile: string): (() => void) => {
  let database: Database.Database | undefined
  try {
    database = new Database(lockFile, { timeout: 0 })
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE')
    const held = database
    return () => void held.close()
  } catch (error) {
    database?.close()
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      throw new FolderTaken(`${lockFile} is locked by another process`, { cause: error })
    throw asUnavailable(error)
  }
}

/** Whether an error says that a disk is full, as SQLite or as the system reports it. */
export const isFullDisk = (error: unknown): boolean =>
  error instanceof DiskFull || /^(?:ENOSPC|EDQUOT)$/.test((error as NodeJS.ErrnoException).code ?? '')

/** The size of a file in bytes, or null if there is none. */
export const fileBytes = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.size ?? null
