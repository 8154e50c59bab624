import type { Query } from '../storage.ts'
import { readObjectFile } from './file-store.ts'
import type { ReadObject } from './object-store.ts'
import { ObjectDamaged } from './seal.ts'
import { readTableObject } from './table-store.ts'

/** Where a process finds the bytes of objects: in the database, for a state directory also in the folder of parts, and in a bucket. */
export type ObjectSource = {
  readonly read: <T>(query: Query<T>) => T | Promise<T>
  readonly partsFolder?: string | null
  readonly s3?: { readonly read: (id: string, offset: number, length: number) => Promise<Buffer> } | null
}

/** Reads objects from wherever their rows say that they are. */
export const objectReader = ({ read, partsFolder, s3 }: ObjectSource): ReadObject => {
  const ofTable = readTableObject(read)
  return async ({ object_id, place }, offset, length) => {
    if (place === 'table') return ofTable(object_id, offset, length)
    if (place === 'files' && partsFolder) return readObjectFile(partsFolder, object_id, offset, length)
    if (place === 's3' && s3) return s3.read(object_id, offset, length)
    throw new ObjectDamaged(`object ${object_id} is in the place ${place}, which this store does not have`)
  }
}
