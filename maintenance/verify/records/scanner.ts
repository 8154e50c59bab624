import { connect, type Connection } from '../../../storage/sqlite/connection.ts'
import { recordLister } from '../../../storage/sqlite/raw-records.ts'
import { scanRange, type Range, type RangeResult } from './range.ts'

/** Where a thread reads records: plain data. `snapshot` is the name of an exported snapshot. */
export type ScanSource =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly snapshot: string }

/** Scans ranges of one store. */
export type Scanner = {
  readonly scan: (range: Range) => Promise<RangeResult>
  readonly close: () => Promise<void>
}

/** Records per read of a file: more take more memory and no less time. */
const RECORDS_PER_FILE_READ = 256

/** Scans on a connection of the caller. */
export const scannerOn = (connection: Connection): Scanner => {
  // Prepared with the first scan: a store without these tables is refused before.
  let list: ReturnType<typeof recordLister> | undefined
  return {
    scan: async (range) => {
      const scan = scanRange(range)
      list ??= recordLister(connection)
      for (let from = range.from, isGood = true; isGood && from < range.to; from += RECORDS_PER_FILE_READ)
        for (const record of list(from, Math.min(range.to, from + RECORDS_PER_FILE_READ)))
          if (isGood) isGood = scan.add(record)
      return scan.end()
    },
    close: async () => {},
  }
}

/** Records per read of a database. */
const RECORDS_PER_READ = 4096

/** Opens a connection for scans: to a file in snapshots of its own, to a database in the given one. */
export const openScanner = async (source: ScanSource): Promise<Scanner> => {
  if (source.kind === 'sqlite') {
    const connection = connect(source.file, { readonly: true })
    // A scan reads each page once: a larger cache takes memory for nothing.
    connection.database.pragma('cache_size = -2048')
    return { ...scannerOn(connection), close: async () => connection.close() }
  }
  // Loaded on demand: the driver takes long to load.
  const { openSnapshotRecords } = await import('../../../storage/postgres/connect.ts')
  const records = await openSnapshotRecords(source.url, source.snapshot)
  return {
    scan: async (range) => {
      const scan = scanRange(range)
      for (let from = range.from, isGood = true; isGood && from < range.to; from += RECORDS_PER_READ)
        for (const record of await records.list(from, Math.min(range.to, from + RECORDS_PER_READ)))
          if (isGood) isGood = scan.add(record)
      return scan.end()
    },
    close: records.close,
  }
}
