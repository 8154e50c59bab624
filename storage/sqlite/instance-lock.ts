import { readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { makeStateDirectory, unusableDirectory, unwritableFile } from '../disk/state-directory.ts'

/** File systems whose locks are unreliable between hosts, by the magic numbers of statfs(2). */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
])

// Holds the handles for the life of the process: a POSIX lock is released if its handle is garbage-collected, or if the
// same file is opened again.
const locks = new Map<string, Database.Database>()

/** Another process uses the state directory. */
export class StateDirectoryTaken extends Error {
  override readonly name = 'StateDirectoryTaken'
}

/**
 * Takes the only lock of a state directory and writes `holder.json` (pid, host, start) for the error message of a
 * second instance. Returns the function that releases the lock. Throws `StateDirectoryTaken`, whose message names the
 * holder, and `StateDirectoryUnusable`, also for a directory on a network file system.
 */
export const takeStateDirectory = (dataDir: string, now: () => number): (() => void) => {
  makeStateDirectory(dataDir)
  refuseNetworkFileSystem(dataDir)
  const file = join(dataDir, 'lock.db')
  if (locks.has(file)) throw new StateDirectoryTaken(`state directory ${dataDir} is already in use by this process`)
  let database: Database.Database | undefined
  try {
    database = new Database(file, { timeout: 0 })
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database?.close()
    throw asRefusal(error, dataDir, file)
  }
  locks.set(file, database)
  writeFileSync(
    join(dataDir, 'holder.json'),
    JSON.stringify({ pid: process.pid, host: hostname(), started_at: new Date(now()).toISOString() }),
  )
  return () => {
    locks.delete(file)
    database.close()
  }
}

const asRefusal = (error: unknown, dataDir: string, file: string): unknown => {
  if (!(error instanceof Database.SqliteError)) return error
  if (error.code.startsWith('SQLITE_BUSY')) {
    const problem = `state directory ${dataDir} is in use${quoteHolder(dataDir)}; exactly one instance may use it`
    return new StateDirectoryTaken(
      `${problem}. Stop that process, or name another folder with --data-dir or SERVICE_DATA_DIR.`,
      { cause: error },
    )
  }
  return /^SQLITE_(CANTOPEN|READONLY|PERM)/.test(error.code) ? unwritableFile(file, error.code, error) : error
}

const quoteHolder = (dataDir: string): string => {
  try {
    const { pid, host, started_at } = JSON.parse(readFileSync(join(dataDir, 'holder.json'), 'utf8')) as Record<
      string,
      unknown
    >
    return ` by process ${String(pid)} on ${String(host)} since ${String(started_at)}`
  } catch {
    // The holder may not have written the file yet; the error message then does not name it.
    return ''
  }
}

const refuseNetworkFileSystem = (dataDir: string): void => {
  const name = NETWORK_FILE_SYSTEMS.get(statfsSync(dataDir).type >>> 0)
  if (name) throw unusableDirectory(dataDir, `is on a network file system (${name}), whose locks are not safe`)
}
