import { mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * This process cannot use the state directory. The message names the variable and the flag, the reason and the remedy.
 */
export class StateDirectoryUnusable extends Error {
  override readonly name = 'StateDirectoryUnusable'
}

const ADVICE = 'Create a folder that the service may write to, or name another one.'

/** The error for a state directory that cannot be used; `reason` says why, as the end of a sentence. */
export const unusableDirectory = (dataDir: string, reason: string, cause?: unknown): StateDirectoryUnusable =>
  new StateDirectoryUnusable(`SERVICE_DATA_DIR or --data-dir: the state directory ${dataDir} ${reason}. ${ADVICE}`, {
    cause,
  })

/**
 * The error for a file in the state directory that cannot be opened or written. `code` is an error code of the system or
 * of SQLite.
 */
export const unwritableFile = (file: string, code: string, cause: unknown): StateDirectoryUnusable =>
  new StateDirectoryUnusable(
    `SERVICE_DATA_DIR or --data-dir: ${file} cannot be opened for writing (${code}). ` +
      'Let the service write to this file and its folder, or name another folder.',
    { cause },
  )

// A full disk accepts no writes, but its content can still be read, and space can be freed.
const FULL = /^(?:ENOSPC|EDQUOT)$/

/**
 * Checks that a state directory exists and is writable. Does not create it, because a mistyped name would then go
 * unnoticed. Throws `StateDirectoryUnusable`.
 */
export const checkStateDirectory = (dataDir: string): void => {
  const stats = statIfThere(dataDir)
  if (!stats) throw unusableDirectory(dataDir, 'does not exist')
  if (!stats.isDirectory()) throw unusableDirectory(dataDir, 'is a file, not a folder')
  try {
    rmdirSync(mkdtempSync(join(dataDir, '.writable-')))
  } catch (error) {
    if (!FULL.test(systemCode(error)))
      throw unusableDirectory(dataDir, `cannot be written to (${systemCode(error)})`, error)
  }
}

/**
 * Creates a missing state directory with its parents, readable by its owner only, and checks it. Throws
 * `StateDirectoryUnusable`.
 */
export const makeStateDirectory = (dataDir: string): void => {
  try {
    makeFolder(resolve(dataDir))
  } catch (error) {
    throw unusableDirectory(dataDir, `cannot be created (${systemCode(error)})`, error)
  }
  checkStateDirectory(dataDir)
}

// Not `recursive`: with that option, Node 24 never returns on file systems that reject new folders, such as /proc.
const makeFolder = (path: string): void => {
  if (statIfThere(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it in the meantime.
    if (systemCode(error) !== 'EEXIST') throw error
  }
}

const statIfThere = (path: string) => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    // A parent in the path is a file, or a folder without search permission.
    if (/^(?:ENOTDIR|EACCES)$/.test(systemCode(error))) return undefined
    throw error
  }
}

const systemCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)
