import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { objectFile, PARTS_FOLDER } from '../../../storage/objects/file-store.ts'
import { ROW_BYTES } from '../../../storage/objects/rows.ts'
import type { SpecApp } from '../servers/app.ts'

type Stored = Pick<SpecApp, 'databaseUrl' | 'dataDir' | 'column'>

/** The files below the folder of large parts of a state directory, unfinished ones included, as their paths in it. */
export const partFiles = (dataDir: string): string[] => {
  try {
    return readdirSync(join(dataDir, PARTS_FOLDER), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'store')
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}

/** The ids of objects of which bytes are stored, wherever the storage of this run keeps them. */
export const storedObjects = async ({ databaseUrl, dataDir, column }: Stored): Promise<string[]> => {
  const inTable = (await column('SELECT DISTINCT object_id FROM object_rows')).map(String)
  const inFiles = databaseUrl === null ? partFiles(dataDir).map((path) => path.slice(path.lastIndexOf('/') + 1)) : []
  return [...inTable, ...inFiles].toSorted()
}

/** A place in the sealed bytes of an object. */
export type SealedPlace = { readonly object_id: string; readonly at: number }

/** Changes one bit of an object of a state directory or of the table. A second call changes it back. */
export const flipStoredBit = async (spec: Pick<SpecApp, 'dataDir' | 'rows'>, { object_id, at }: SealedPlace) => {
  const file = objectFile(join(spec.dataDir, PARTS_FOLDER), object_id)
  if (existsSync(file)) return writeFileSync(file, withBit(readFileSync(file), at))
  const n = Math.floor(at / ROW_BYTES)
  const place = [object_id, n]
  const [row] = await spec.rows('SELECT bytes FROM object_rows WHERE object_id = $1 AND n = $2', place)
  const bytes = withBit(Buffer.from(row?.['bytes'] as Uint8Array), at - n * ROW_BYTES)
  const update = 'UPDATE object_rows SET bytes = $3 WHERE object_id = $1 AND n = $2 RETURNING n'
  await spec.rows(update, [...place, bytes])
}

/** A copy of some bytes with one bit changed. */
export const withBit = (bytes: Buffer, at: number): Buffer => {
  const changed = Buffer.from(bytes)
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
  return changed
}
