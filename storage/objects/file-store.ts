import { mkdir, open, readdir, rename, stat, unlink, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DiskFull, Unavailable } from '../errors.ts'
import type { ObjectStore } from './object-store.ts'
import { ObjectDamaged } from './seal.ts'

// Objects of a state directory, each a file that never changes: `parts/objects/<2 hex>/<id>`. A file gets that name when its bytes are
// durable; until then it is `parts/tmp/<id>`. `parts/store` has the identity of the log, so that the folder of another log, or a
// database without its folder, is noticed.

/** The folder of parts in a state directory. */
export const PARTS_FOLDER = 'parts'
const OBJECTS = 'objects'
const UNFINISHED = 'tmp'
const IDENTITY = 'store'

/** The file of an object. */
export const objectFile = (folder: string, id: string): string => join(folder, OBJECTS, id.slice(0, 2), id)
/** The file with the identity of the log. */
export const storeFile = (folder: string): string => join(folder, IDENTITY)
const unfinishedFile = (folder: string, id: string): string => join(folder, UNFINISHED, id)

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

/** What a failed call of the file system means. */
const asUnavailable = (error: unknown): unknown => {
  if (error instanceof Unavailable || !(error instanceof Error) || codeOf(error) === '') return error
  return /^(?:ENOSPC|EDQUOT)$/.test(codeOf(error))
    ? new DiskFull({ cause: error })
    : new Unavailable(`a file of parts cannot be used: ${error.message}`, { cause: error })
}

const withFile = async <T>(file: string, flags: string, work: (handle: FileHandle) => Promise<T>): Promise<T> => {
  const handle = await open(file, flags, 0o600)
  try {
    return await work(handle)
  } finally {
    await handle.close()
  }
}

/** Puts the names in a folder on disk. Windows cannot open folders, and needs no such call. */
const syncFolder = async (folder: string): Promise<void> => {
  if (process.platform !== 'win32') await withFile(folder, 'r', (handle) => handle.sync())
}

/** Makes a folder for its owner, durably. */
const makeFolder = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    throw error
  }
  await syncFolder(dirname(folder))
}

/** The identity of the log to which a folder of parts belongs, or null. */
export const readPartsIdentity = (folder: string): Promise<string | null> =>
  withFile(storeFile(folder), 'r', async (handle) => (await handle.readFile('utf8')).trim()).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null
    throw error
  })

/** Makes the folder of parts of a log. It has an identity before it has anything else. */
const makePartsFolder = async (folder: string, identity: string): Promise<void> => {
  await makeFolder(folder)
  if ((await readPartsIdentity(folder)) === null) {
    const file = storeFile(folder)
    await withFile(`${file}.part`, 'w', async (handle) => {
      await handle.writeFile(`${identity}\n`)
      await handle.sync()
    })
    await rename(`${file}.part`, file)
    await syncFolder(folder)
  }
  for (const name of [OBJECTS, UNFINISHED]) await makeFolder(join(folder, name))
}

/** The number of bytes of the file of an object, or null if there is none. */
export const objectFileBytes = async (folder: string, id: string): Promise<number | null> => {
  try {
    return (await stat(objectFile(folder, id))).size
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw asUnavailable(error)
  }
}

/** Bytes of the file of an object. Throws as `ReadObject`. */
export const readObjectFile = async (folder: string, id: string, offset: number, length: number): Promise<Buffer> => {
  try {
    return await withFile(objectFile(folder, id), 'r', async (handle) => {
      const bytes = Buffer.allocUnsafeSlow(length)
      for (let at = 0; at < length;) {
        const { bytesRead } = await handle.read(bytes, at, length - at, offset + at)
        if (bytesRead === 0) throw new ObjectDamaged(`object ${id} lacks bytes from ${offset + at} on`)
        at += bytesRead
      }
      return bytes
    })
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new ObjectDamaged(`object ${id} is missing`, { cause: error })
    throw asUnavailable(error)
  }
}

const writeAll = async (handle: FileHandle, bytes: Buffer): Promise<void> => {
  for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten
}

/** Whether there was a file to remove. */
const removed = async (file: string): Promise<boolean> => {
  try {
    await unlink(file)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false
    throw error
  }
}

/** Steps of a `put` and a `remove`, in order: for specs that end the process there. */
export type FileStep = 'written' | 'synced' | 'renamed' | 'durable' | 'unlinked'

type Options = {
  readonly folder: string
  /** The identity of the log. Asked for once, when the first object is stored. */
  readonly identity: () => Promise<string>
  readonly observe?: (step: FileStep) => void
}

/** A store of objects in files. All calls of the file system run on other threads. */
export const fileStore = ({ folder, identity, observe = () => {} }: Options): ObjectStore => {
  let made: Promise<void> | null = null
  const makeOnce = (): Promise<void> =>
    (made ??= identity()
      .then((own) => makePartsFolder(folder, own))
      .catch((error: unknown) => {
        made = null
        throw error
      }))
  return {
    place: 'files',
    put: async (id, chunks) => {
      const file = objectFile(folder, id)
      const unfinished = unfinishedFile(folder, id)
      try {
        await makeOnce()
        await withFile(unfinished, 'wx', async (handle) => {
          for await (const chunk of chunks) await writeAll(handle, chunk)
          observe('written')
          await handle.sync()
        })
        observe('synced')
        await makeFolder(dirname(file))
        await rename(unfinished, file)
        observe('renamed')
        await Promise.all([syncFolder(dirname(file)), syncFolder(dirname(unfinished))])
        observe('durable')
      } catch (error) {
        // On a full disk the row may not be dropped before the next sweep.
        await removed(unfinished).catch(() => false)
        throw asUnavailable(error)
      }
    },
    remove: async (ids) => {
      try {
        for (const file of ids.flatMap((id) => [objectFile(folder, id), unfinishedFile(folder, id)]))
          if (await removed(file)) {
            observe('unlinked')
            await syncFolder(dirname(file))
          }
      } catch (error) {
        throw asUnavailable(error)
      }
    },
  }
}

/** A file of an object: its id, its bytes, and when it was last changed, in epoch milliseconds. */
export type ObjectFile = {
  readonly object_id: string
  readonly path: string
  readonly bytes: number
  readonly changed_at: number
}

/** The files of objects in a folder of parts, unfinished ones included, in groups of one folder. */
export async function* listObjectFiles(folder: string): AsyncGenerator<readonly ObjectFile[]> {
  const names = async (path: string): Promise<string[]> =>
    readdir(path).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return []
      throw error
    })
  const groups = (await names(join(folder, OBJECTS))).map((name) => join(folder, OBJECTS, name))
  for (const group of [...groups, join(folder, UNFINISHED)]) {
    const files: ObjectFile[] = []
    for (const object_id of await names(group)) {
      const path = join(group, object_id)
      // It may be removed or renamed at this moment.
      const stats = await stat(path).catch(() => null)
      if (stats?.isFile()) files.push({ object_id, path, bytes: stats.size, changed_at: stats.mtimeMs })
    }
    if (files.length > 0) yield files
  }
}
