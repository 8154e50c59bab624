import { messageOf } from '../../domain/plain/message-of.ts'
import { CacheUnavailable, type CacheClient } from './client.ts'
import { assertCacheKey, cachePath } from '../../domain/cache/key.ts'
import { errorCode } from '../../domain/plain/error-code.ts'

/** The part of `node:fs/promises` that is needed. */
export type CacheFiles = {
  readonly readFile: (path: string) => Promise<Uint8Array>
  readonly writeFile: (path: string, bytes: Uint8Array, options: { flag: 'wx'; flush: true }) => Promise<void>
  readonly access: (path: string) => Promise<void>
  readonly mkdir: (path: string, options: { recursive: true }) => Promise<unknown>
  readonly link: (from: string, to: string) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
  readonly rm: (path: string, options: { force: true }) => Promise<void>
}

export type DiskCacheOptions = {
  readonly directory: string
  readonly files: CacheFiles
  /**
   * Identifies this writer among all writers of the directory, for example by process id. It is part of the names of
   * unfinished files.
   */
  readonly writer: string
}

/**
 * A cache in a directory: `<first 2 hex>/<64 hex>.json`. Entries are written atomically, and the first one of a key
 * remains.
 */
export const diskCacheClient = ({ directory, files, writer }: DiskCacheOptions): CacheClient => {
  let writes = 0
  const pathOf = (key: string): string => {
    assertCacheKey(key)
    return `${directory}/${cachePath(key)}`
  }

  const exists = async (path: string): Promise<boolean> => {
    try {
      await files.access(path)
      return true
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false
      throw error
    }
  }

  /**
   * Writes a temporary file next to the entry under a unique name. Skips the names of files that an earlier process
   * with the same id left behind.
   */
  const writeTemporary = async (path: string, bytes: Uint8Array): Promise<string> => {
    for (;;) {
      const temporary = `${path.slice(0, -'.json'.length)}.tmp-${writer}-${++writes}`
      try {
        await files.writeFile(temporary, bytes, { flag: 'wx', flush: true })
        return temporary
      } catch (error) {
        if (errorCode(error) === 'EEXIST') continue
        await files.rm(temporary, { force: true })
        throw error
      }
    }
  }

  /** Renames a complete file to the entry's name, unless that exists. */
  const moveIntoPlace = async (temporary: string, path: string): Promise<boolean> => {
    try {
      await files.link(temporary, path)
      return true
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false
      if (!NO_LINKS.has(errorCode(error))) throw error
    }
    // Two concurrent writers may both rename here, and the later one wins. Both files are complete and contain an
    // answer to the same request.
    if (await exists(path)) return false
    await files.rename(temporary, path)
    return true
  }

  return {
    fileOf: pathOf,
    get: async (key) => {
      const path = pathOf(key)
      try {
        return await files.readFile(path)
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return null
        throw new CacheUnavailable(`${path} cannot be read: ${messageOf(error)}`, { cause: error })
      }
    },
    put: async (key, bytes) => {
      const path = pathOf(key)
      try {
        if (await exists(path)) return false
        await files.mkdir(path.slice(0, path.lastIndexOf('/')), { recursive: true })
        const temporary = await writeTemporary(path, bytes)
        try {
          return await moveIntoPlace(temporary, path)
        } finally {
          await files.rm(temporary, { force: true })
        }
      } catch (error) {
        throw new CacheUnavailable(`${path} cannot be written: ${messageOf(error)}`, { cause: error })
      }
    },
  }
}

/** The error codes of file systems without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
])
