import { projections } from '../../projections/index.ts'
import { readBatches, type ReadBatch } from '../../projections/replay.ts'
import { ask, runAsync, runSync, type Steps } from '../../storage/commit/steps.ts'
import { fetchMoved, withMoved } from '../../storage/objects/moved-documents.ts'
import { storeObjects } from '../../storage/open/objects.ts'
import type { Store } from '../../storage/open/reader.ts'
import { connect } from '../../storage/sqlite/connection.ts'
import type { BatchReader } from './build-models.ts'

/** What one transaction of a build in the background replays: little where commits wait for it, on SQLite. */
const BATCHES = {
  sqlite: { records: 200, bytes: 256 * 1024 },
  postgres: { records: 200, bytes: 2 * 1024 * 1024 },
}

/**
 * Opens a reader of batches on a connection of its own, in the calling thread. It reads each batch from one snapshot. Specs
 * make a batch smaller.
 */
export const openBatchReader = async (store: Store, batch = BATCHES[store.kind]): Promise<BatchReader> => {
  const { inSnapshot, close } = await (store.kind === 'sqlite' ? openFile(store.file) : openDatabase(store.url))
  const moved = fetchMoved({
    read: (query) => inSnapshot(ask(query)),
    readObject: storeObjects(store, { read: (query) => inSnapshot(ask(query)) }),
  })
  let next: (() => Steps<ReadBatch>) | null = null
  let position = -1
  return {
    read: async (from, models) => {
      const readNext = (): Promise<ReadBatch> => {
        if (!next || position !== from)
          next = readBatches(from, {
            models: projections.filter(({ name }) => models.includes(name)),
            batch,
            withVectors: store.kind === 'postgres' && models.includes('search'),
            moved,
          })
        position = -1
        return inSnapshot(next())
      }
      const read = await withMoved(moved, readNext)
      position = read.position
      return read
    },
    close,
  }
}

type Snapshots = {
  readonly inSnapshot: <T>(steps: Steps<T>) => Promise<T>
  readonly close: () => Promise<void>
}

const rejectWrite = (): never => {
  throw new Error('a read writes nothing')
}

const openFile = async (file: string): Promise<Snapshots> => {
  const { database, read, close } = connect(file, { readonly: true })
  return {
    inSnapshot: async (steps) => database.transaction(() => runSync(steps, { read, run: rejectWrite }))(),
    close: async () => close(),
  }
}

const openDatabase = async (url: string): Promise<Snapshots> => {
  const { openPool } = await import('../../storage/postgres/pool.ts')
  const { inTransaction } = await import('../../storage/postgres/session.ts')
  const { withConnection, close } = await openPool({ url, connections: 1, statementTimeoutMs: 600_000 })
  return {
    inSnapshot: (steps) =>
      withConnection((connection) =>
        inTransaction(connection, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', () =>
          runAsync(steps, { read: connection.read, run: async () => rejectWrite() }),
        ),
      ),
    close,
  }
}
