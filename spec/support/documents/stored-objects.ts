import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PARTS_FOLDER } from '../../../storage/objects/file-store.ts'
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
