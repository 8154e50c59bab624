import { CacheUnavailable } from './client.ts'
import type { CacheClient } from './client.ts'
import { assertCacheKey, cachePath } from '../../domain/cache/key.ts'

/** What of `node:fs/promises` is needed. */
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
   * Tells this writer from all others on the directory, as a process id does: it stands in the names of files not yet
   * whole.
   */
  readonly writer: string
}

/**
 * A cache in a directory: `<first 2 hex>/<64 hex>.json`. An entry is there whole or not at all, and the first one
 * stays.
 */
export const diskCacheClient = ({ directory, files, writer }: DiskCacheOptions): CacheClient => {
  let written = 0
  const pathOf = (key: string): string => {
    assertCacheKey(key)
    return `${directory}/${cachePath(key)}`
  }

  const isThere = async (path: string): Promise<boolean> => {
    try {
      await files.access(path)
      return true
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false
      throw error
    }
  }

  /**
   * Writes a file beside the entry, under a name that nobody else has: one left over by a process of the same id is
   * passed over.
   */
  const writeBeside = async (path: string, bytes: Uint8Array): Promise<string> => {
    for (;;) {
      const part = `${path.slice(0, -'.json'.length)}.tmp-${writer}-${++written}`
      try {
        await files.writeFile(part, bytes, { flag: 'wx', flush: true })
        return part
      } catch (error) {
        if (codeOf(error) === 'EEXIST') continue
        await files.rm(part, { force: true })
        throw error
      }
    }
  }

  /** Gives a whole file the entry's name, unless that is taken. */
  const takeName = async (part: string, path: string): Promise<boolean> => {
    try {
      await files.link(part, path)
      return true
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      if (!NO_LINKS.has(codeOf(error))) throw error
    }
    // Two at the same moment both take the name here, and the later one stays: whole either way, and an answer to the
    // same request.
    if (await isThere(path)) return false
    await files.rename(part, path)
    return true
  }

  return {
    get: async (key) => {
      const path = pathOf(key)
      try {
        return await files.readFile(path)
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return null
        throw new CacheUnavailable(`${path} cannot be read: ${messageOf(error)}`, { cause: error })
      }
    },
    put: async (key, bytes) => {
      const path = pathOf(key)
      try {
        if (await isThere(path)) return false
        await files.mkdir(path.slice(0, path.lastIndexOf('/')), { recursive: true })
        const part = await writeBeside(path, bytes)
        try {
          return await takeName(part, path)
        } finally {
          await files.rm(part, { force: true })
        }
      } catch (error) {
        throw new CacheUnavailable(`${path} cannot be written: ${messageOf(error)}`, { cause: error })
      }
    },
  }
}

/** File systems without hard links say one of these. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
])

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as { code?: string }).code : undefined
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
