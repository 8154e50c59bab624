import type { Query } from '../storage.ts'
import type { ObjectStore } from './object-store.ts'
import { findLastRow, listObjectRows, ROW_BYTES } from './rows.ts'
import { ObjectDamaged } from './seal.ts'

type Access = {
  readonly read: <T>(query: Query<T>) => T | Promise<T>
  /** Writes bytes of an object as rows from a number on, durably. Takes the memory over. */
  readonly write: (object_id: string, from: number, bytes: Uint8Array) => Promise<unknown>
  /** Removes rows of an object from one number to before another. */
  readonly remove: (object_id: string, from: number, to: number) => Promise<unknown>
}

/** Reads the bytes of an object that are rows of the database. */
export const readTableObject =
  (read: Access['read']) =>
  async (id: string, offset: number, length: number): Promise<Buffer> => {
    const from = Math.floor(offset / ROW_BYTES)
    const rows = await read(listObjectRows(id, from, Math.floor((offset + length - 1) / ROW_BYTES)))
    const bytes = Buffer.concat(rows.map((row) => row.bytes))
    const found = bytes.subarray(offset - from * ROW_BYTES, offset - from * ROW_BYTES + length)
    if (found.length < length || rows.some(({ n }, i) => n !== from + i))
      throw new ObjectDamaged(`object ${id} lacks bytes from ${offset} on`)
    return found
  }

/** Rows that one commit writes or removes: others wait for it. */
const ROWS_PER_COMMIT = 16
const COMMIT_BYTES = ROWS_PER_COMMIT * ROW_BYTES

/** A store of objects in the database itself: its backup is whole. */
export const tableStore = ({ read, write, remove }: Access): ObjectStore => ({
  place: 'table',
  put: async (id, chunks) => {
    // Of its own memory, because the thread that writes takes it over.
    let rows = new Uint8Array(COMMIT_BYTES)
    let used = 0
    let n = 0
    for await (const chunk of chunks)
      for (let at = 0; at < chunk.length;) {
        const part = chunk.subarray(at, at + COMMIT_BYTES - used)
        rows.set(part, used)
        used += part.length
        at += part.length
        if (used < COMMIT_BYTES) continue
        await write(id, n, rows)
        n += ROWS_PER_COMMIT
        rows = new Uint8Array(COMMIT_BYTES)
        used = 0
      }
    if (used > 0) await write(id, n, rows.slice(0, used))
  },
  remove: async (ids) => {
    for (const id of ids) {
      const last = await read(findLastRow(id))
      for (let n = 0; n <= last; n += ROWS_PER_COMMIT) await remove(id, n, n + ROWS_PER_COMMIT)
    }
  },
})
