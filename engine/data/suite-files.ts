import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'
import { UsageError } from '../json.ts'
import { decodeUtf8, readFault } from '../suite/source/compose.ts'
import { readRegular } from '../suite/source/read-regular.ts'
import { compareBytes } from '../text/compare-bytes.ts'
import { pathIn } from '../suite/file-reference.ts'
import { globPaths } from './glob.ts'

/** A file or glob of a suite that may not or cannot be read. The message names it. */
export class SuiteFileError extends UsageError {}

/** Returns a path or glob without `file://`. Throws `SuiteFileError` unless it stays below the folder of the suite. */
const confined = (reference: string): string => {
  const path = pathIn(reference)
  if (path === '') throw new SuiteFileError('the path of a file is empty')
  // Both kinds of roots are refused everywhere: a suite means the same on every system.
  if (isAbsolute(path) || /^[A-Za-z]:|^[\\/]/.test(path))
    throw new SuiteFileError(`${path} is an absolute path; give a path relative to the folder of the suite`)
  if (path.split(/[\\/]/).includes('..'))
    throw new SuiteFileError(`${path} has a \`..\`; files of a suite are in the folder of the suite`)
  return path
}

/** Returns the real path of a file. Throws `SuiteFileError` if symbolic links lead out of the folder. */
const realPathWithin = async (directory: string, path: string): Promise<string> => {
  const [root, real] = await Promise.all([realpath(directory), realpath(join(directory, path))])
  const prefix = root.endsWith(sep) ? root : `${root}${sep}`
  if (real !== root && !real.startsWith(prefix))
    throw new SuiteFileError(`${path} leads out of the folder of the suite through a symbolic link`)
  return real
}

const readBytes = async (directory: string, reference: string): Promise<Uint8Array> => {
  const path = confined(reference)
  try {
    return await readRegular(await realPathWithin(directory, path))
  } catch (error) {
    if (error instanceof SuiteFileError) throw error
    throw new SuiteFileError(`${path} ${readFault(error)}`, { cause: error })
  }
}

/**
 * Returns the text of a file of a suite. `reference` is a path relative to `directory`, the folder of the suite, with or
 * without `file://`. Throws `SuiteFileError` if the path is absolute, has a `..` or leads out of the folder through a
 * symbolic link, if there is no such file, or if it is not UTF-8.
 */
export const readSuiteFile = async (directory: string, reference: string): Promise<string> => {
  const bytes = await readBytes(directory, reference)
  try {
    return decodeUtf8(bytes)
  } catch (error) {
    throw new SuiteFileError(`${confined(reference)} ${readFault(error)}`, { cause: error })
  }
}

/** Returns the bytes of the file at a path that `matchingFiles` returned. Throws `SuiteFileError`. */
export const readMatch = readBytes

/** Whether an error of the file system says that nothing can be found at a path: links in a circle lead nowhere. */
const isNothing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String(error.code))

/** Returns what work on a path of a glob returns, `otherwise` if there is nothing at the path. Throws `SuiteFileError`. */
const atPath = async <T>(path: string, otherwise: T, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SuiteFileError) throw error
    if (isNothing(error)) return otherwise
    throw new SuiteFileError(`${path} ${readFault(error)}`, { cause: error })
  }
}

/**
 * Returns the files below `directory` that match a glob, as paths with slashes in the order of their bytes: see
 * `globPaths`. Throws `SuiteFileError` for a glob or a match outside of the folder, and for a folder that cannot be read.
 */
export const matchingFiles = async (directory: string, reference: string): Promise<string[]> => {
  const paths = await globPaths(confined(reference), (folder) =>
    atPath<readonly Dirent[]>(folder, [], async () => {
      if (!(await stat(join(directory, folder))).isDirectory()) return []
      return readdir(await realPathWithin(directory, folder), { withFileTypes: true })
    }),
  )
  const found: string[] = []
  for (const path of paths)
    if (await atPath(path, false, async () => (await stat(await realPathWithin(directory, path))).isFile()))
      found.push(path)
  return found.sort(compareBytes)
}
