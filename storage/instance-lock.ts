import { mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** File systems whose locks cannot be trusted between hosts, by the magic numbers of statfs(2). */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
])

// Held here for the life of the process: a collected handle, or any other open of the same file, drops a POSIX lock.
const held = new Map<string, Database.Database>()

/** The state directory is taken by another process. */
export class StateDirectoryTaken extends Error {
  override readonly name = 'StateDirectoryTaken'
}

/**
 * Takes the one lock of a state directory and writes `holder.json` (pid, host, start) for whoever comes second.
 * Throws `StateDirectoryTaken`, quoting the holder, and an Error on a network file system. Answers the release.
 */
export const takeStateDirectory = (dataDir: string, now: () => number): (() => void) => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  refuseNetworkFileSystem(dataDir)
  const file = join(dataDir, 'lock.db')
  if (held.has(file)) throw new StateDirectoryTaken(`state directory ${dataDir} is already in use by this process`)
  const database = new Database(file, { timeout: 0 })
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (!(error instanceof Database.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error
    throw new StateDirectoryTaken(`state directory ${dataDir} is in use${quoteHolder(dataDir)}; exactly one instance may use it`, { cause: error })
  }
  held.set(file, database)
  writeFileSync(join(dataDir, 'holder.json'), JSON.stringify({ pid: process.pid, host: hostname(), started_at: new Date(now()).toISOString() }))
  return () => {
    held.delete(file)
    database.close()
  }
}

const quoteHolder = (dataDir: string): string => {
  try {
    const { pid, host, started_at } = JSON.parse(readFileSync(join(dataDir, 'holder.json'), 'utf8')) as Record<string, unknown>
    return ` by process ${String(pid)} on ${String(host)} since ${String(started_at)}`
  } catch {
    // The holder may be between taking the lock and writing the file; the refusal stands without the quote.
    return ''
  }
}

const refuseNetworkFileSystem = (dataDir: string): void => {
  const name = NETWORK_FILE_SYSTEMS.get(statfsSync(dataDir).type >>> 0)
  if (name) throw new Error(`state directory ${dataDir} is on a network file system (${name}); its locks are not safe. Use a local disk`)
}
