import { dirname, join } from 'node:path'
import { PARTS_FOLDER } from '../objects/file-store.ts'
import type { ReadObject } from '../objects/object-store.ts'
import { objectReader } from '../objects/read-object.ts'
import type { Reader } from '../storage.ts'
import type { Store } from './reader.ts'

/** Reads the objects of a store: from its database, and on SQLite also from the folder next to its file. */
export const storeObjects = (store: Store, { read }: Pick<Reader, 'read'>): ReadObject =>
  objectReader({ read, partsFolder: store.kind === 'sqlite' ? join(dirname(store.file), PARTS_FOLDER) : null })
