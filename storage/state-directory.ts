import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** The state directory cannot be used by this process. The message says why and what to do, in two sentences. */
export class StateDirectoryUnusable extends Error {
  override readonly name = 'StateDirectoryUnusable'
}

const ADVICE = 'Name a folder that this user may write, with --data-dir or SERVICE_DATA_DIR.'

/**
 * Creates a state directory with its parents where it is missing, readable by its owner only, and checks that this process may write
 * in it. Throws `StateDirectoryUnusable`.
 */
export const makeStateDirectory = (dataDir: string): void => {
  if (statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() === false) throw new StateDirectoryUnusable(`State directory ${dataDir} is a file, not a folder. ${ADVICE}`)
  try {
    makeFolder(resolve(dataDir))
  } catch (cause) {
    throw new StateDirectoryUnusable(`State directory ${dataDir} cannot be created (${codeOf(cause)}). ${ADVICE}`, { cause })
  }
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new StateDirectoryUnusable(`State directory ${dataDir} cannot be written by this user (${codeOf(cause)}). ${ADVICE}`, { cause })
  }
}

/** A file in the state directory that cannot be opened or written, as a `StateDirectoryUnusable`. `code` is what the system or SQLite reported. */
export const unwritableFile = (file: string, code: string, cause: unknown): StateDirectoryUnusable =>
  new StateDirectoryUnusable(`${file} cannot be opened for writing (${code}). Give this user the right to write it and its folder, or name another folder with --data-dir or SERVICE_DATA_DIR.`, { cause })

// Not `recursive`: on file systems that accept no folder, such as /proc, Node 24 then never returns.
const makeFolder = (path: string): void => {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it in the meantime.
    if (codeOf(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)
