import { join } from 'node:path'
import { PARTS_FOLDER } from '../../../storage/objects/file-store.ts'
import { databaseStore } from '../stores/database.ts'

/** The store of a killed process, by its state directory or by the URL of its database. Only a state directory has files of large parts. */
export const storeAt = (at: string, place: string) =>
  at.startsWith('postgresql:')
    ? { location: { database: databaseStore(at) }, databaseUrl: at, dataDir: '', partsFolder: null }
    : {
        ...{ location: { dataDir: at }, databaseUrl: null, dataDir: at },
        partsFolder: place === 'table' ? null : join(at, PARTS_FOLDER),
      }
