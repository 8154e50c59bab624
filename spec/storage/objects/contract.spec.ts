import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { fileStore } from '../../../storage/objects/file-store.ts'
import type { ObjectStore, ReadObject } from '../../../storage/objects/object-store.ts'
import { objectReader } from '../../../storage/objects/read-object.ts'
import { newObjectId, ObjectDamaged } from '../../../storage/objects/seal.ts'
import { tableStore } from '../../../storage/objects/table-store.ts'
import { noise } from '../../support/documents/parts.ts'
import { bucketOf, chunksOf } from '../../support/s3/buckets.ts'
import { NO_REAL_SERVER, startVersitygw, versitygw } from '../../support/s3/real-server.ts'
import { startS3Server } from '../../support/s3/stand-in.ts'
import { openFreshService, onPostgres } from '../../support/stores/open-fresh.ts'

// What every store of objects does, whatever it is made of.

type Opened = { readonly store: ObjectStore; readonly read: ReadObject; readonly close: () => Promise<void> }

const inFiles = async (): Promise<Opened> => {
  const folder = join(mkdtempSync(join(tmpdir(), 'objects-')), 'parts')
  return {
    store: fileStore({ folder, identity: async () => 'a log' }),
    read: objectReader({ read: () => Promise.reject(new Error('nothing is in a table')), partsFolder: folder }),
    close: async () => rmSync(folder, { recursive: true }),
  }
}
const inTable = async (): Promise<Opened> => {
  const { service, close } = await openFreshService()
  const { commit, reader } = service
  return {
    store: tableStore({
      read: reader.read,
      write: (object_id, from, body) => commit.writeObjectRows(SYSTEM, { object_id, from, body }),
      remove: (object_id, from, to) => commit.removeObjectRows(SYSTEM, { object_id, from, to }),
    }),
    read: objectReader({ read: reader.read }),
    close,
  }
}
const inBucketOf =
  (start: () => Promise<{ readonly storeUrl: (prefix: string) => string } & AsyncDisposable>) =>
  async (): Promise<Opened> => {
    const server = await start()
    const s3 = bucketOf(server.storeUrl('contract'))
    const read = objectReader({ read: () => Promise.reject(new Error('nothing is in a table')), s3 })
    return {
      ...{ store: s3, read },
      close: async () => {
        s3.close()
        await server[Symbol.asyncDispose]()
      },
    }
  }

// The others depend on no database.
const STORES: Array<readonly [string, () => Promise<Opened>]> = [['table', inTable]]
if (!onPostgres) STORES.push(['files', inFiles], ['s3, a stand-in', inBucketOf(() => startS3Server())])
if (!onPostgres && versitygw !== null) {
  const program = versitygw
  STORES.push(['s3, versitygw', inBucketOf(() => startVersitygw(program))])
}
if (versitygw === null && !onPostgres) console.warn(NO_REAL_SERVER)

describe.each(STORES)('a store of objects: %s', (_, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())
  const bytes = noise(1_500_000, 1)
  const put = async (content = bytes, id = newObjectId()): Promise<string> => {
    await opened.store.put(id, chunksOf(content.subarray(0, 262_172), content.subarray(262_172)))
    return id
  }
  const readAt = (object_id: string, offset: number, length: number) =>
    opened.read({ object_id, place: opened.store.place }, offset, length)

  it('returns what it took, and any range of it', async () => {
    const id = await put()
    expect((await readAt(id, 0, bytes.length)).equals(bytes)).toBe(true)
    for (const [offset, length] of [
      [0, 1],
      [262_171, 2],
      [1_000_000, 500_000],
      [bytes.length - 1, 1],
    ] as const)
      expect((await readAt(id, offset, length)).equals(bytes.subarray(offset, offset + length))).toBe(true)
  })
  it('keeps many apart, taken at the same time', async () => {
    const contents = Array.from({ length: 16 }, (_, n) => noise(300_000 + n, n + 50))
    const ids = await Promise.all(contents.map((content) => put(content)))
    const read = await Promise.all(ids.map((id, n) => readAt(id, 0, 300_000 + n)))
    expect(read.every((found, n) => found.equals(contents[n] ?? Buffer.alloc(0)))).toBe(true)
  })
  it('says that bytes are missing, of an object that is not there or is shorter', async () => {
    const id = await put(bytes.subarray(0, 300_000))
    await expect(readAt(id, 299_999, 2)).rejects.toThrow(ObjectDamaged)
    await expect(readAt(id, 400_000, 2)).rejects.toThrow(ObjectDamaged)
    await expect(readAt(newObjectId(), 0, 2)).rejects.toThrow(ObjectDamaged)
  })
  it('removes objects, also those that are gone or were never there', async () => {
    const ids = [await put(), await put(), newObjectId()]
    const kept = await put()
    await opened.store.remove(ids.slice(1))
    await opened.store.remove(ids)
    await opened.store.remove(ids.slice(0, 1))
    for (const id of ids) await expect(readAt(id, 0, 1)).rejects.toThrow(ObjectDamaged)
    expect(await readAt(kept, 0, 1)).toEqual(bytes.subarray(0, 1))
  })
  it('fails with the error of the chunks that it is given, and removes what it had of them', async () => {
    const id = newObjectId()
    const broken = async function* () {
      yield bytes.subarray(0, 1000)
      throw new Error('no more chunks')
    }
    await expect(opened.store.put(id, broken())).rejects.toThrow('no more chunks')
    await opened.store.remove([id])
    await expect(readAt(id, 0, 1000)).rejects.toThrow(ObjectDamaged)
  })
})
