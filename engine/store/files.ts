import * as files from 'node:fs/promises'
import { messageOf } from '../../domain/plain/message-of.ts'
import { HarnessError } from '../json.ts'
import { errorCode } from '../../domain/plain/error-code.ts'

/**
 * Returns a function that writes a whole file or none: a temporary file in the same folder is renamed when it is on
 * disk. `writer` identifies this process among the writers of the folder.
 */
export const wholeFileWriter = (writer: string): ((path: string, text: string | Iterable<string>) => Promise<void>) => {
  let writes = 0
  return async (path, text) => {
    for (;;) {
      const temporary = `${path}.tmp-${writer}-${++writes}`
      try {
        await files.writeFile(temporary, text, { flag: 'wx', flush: true })
        await files.rename(temporary, path)
        return
      } catch (error) {
        // An earlier process with the same id left it behind.
        if (errorCode(error) === 'EEXIST') continue
        await files.rm(temporary, { force: true })
        throw error
      }
    }
  }
}

/** Whether there is a file at a path. Throws `HarnessError`. */
export const isFile = async (path: string): Promise<boolean> => {
  try {
    return (await files.stat(path)).isFile()
  } catch (error) {
    if (isMissing(error)) return false
    throw new HarnessError(`${path} cannot be read: ${messageOf(error)}`)
  }
}

/** When a file was last changed, in epoch milliseconds; null if there is none. Throws `HarnessError`. */
export const modifiedAt = async (path: string): Promise<number | null> => {
  try {
    return (await files.stat(path)).mtimeMs
  } catch (error) {
    if (isMissing(error)) return null
    throw new HarnessError(`${path} cannot be read: ${messageOf(error)}`)
  }
}

/** The names in a folder; none if it does not exist. Throws `HarnessError`. */
export const readFolder = async (path: string): Promise<readonly string[]> => {
  try {
    return await files.readdir(path)
  } catch (error) {
    if (isMissing(error)) return []
    throw new HarnessError(`${path} cannot be read: ${messageOf(error)}`)
  }
}

/** The text of a file; undefined if there is none. Throws `HarnessError`. */
export const readText = async (path: string): Promise<string | undefined> => {
  try {
    return await files.readFile(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new HarnessError(`${path} cannot be read: ${messageOf(error)}`)
  }
}

/** There is no such file, or a part of its path is a file. */
const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errorCode(error) ?? '')
