import { Unavailable } from '../errors.ts'
import { findHead } from '../log/head.ts'
import type { Reader } from '../storage.ts'
import { openPool, type PoolOptions } from './pool.ts'

export type PostgresReader = Reader & { readonly close: () => Promise<void> }

/** Reads from a pool of connections; each query has its own snapshot. */
export const openPostgresReader = async (options: PoolOptions): Promise<PostgresReader> => {
  const { read, readAll, close } = await openPool(options)
  return { dialect: 'postgres', read, readAll, close }
}

/**
 * Reads from a standby once it has replayed the needed position, and from the primary until then. So a client that
 * knows of a commit sees it. `neededPosition` is the log position that every read from now on must see. `connections`
 * counts the connections that were opened to the standby so far.
 */
export const standbyReader = (
  primary: PostgresReader,
  standby: PostgresReader,
  neededPosition: () => number,
  connections: () => number,
): PostgresReader => {
  let reached = -1
  // A crashed standby may restart at an earlier position. So the reached position is only valid until another
  // connection is opened.
  let reachedOn = -1
  let isPolling = false
  const pollStandby = async (): Promise<void> => {
    isPolling = true
    const connectionsBefore = connections()
    try {
      reached = (await standby.read(findHead)).size
      reachedOn = connectionsBefore
    } catch (error) {
      // The next read checks an unavailable standby again; until then the primary answers.
      if (!(error instanceof Unavailable)) throw error
      reached = -1
    } finally {
      isPolling = false
    }
  }
  const readVia = async <T>(read: (reader: PostgresReader) => Promise<T>): Promise<T> => {
    const current = connections()
    if (reached < neededPosition() || reachedOn !== current) {
      // No read waits until a standby has caught up.
      if (!isPolling) pollStandby().catch(() => (reached = -1))
      return read(primary)
    }
    try {
      const result = await read(standby)
      // The read may have used a newer connection than the one whose position is known.
      return connections() === current ? result : await read(primary)
    } catch (error) {
      // The standby is unavailable, or the read conflicted with its replay.
      if (!(error instanceof Unavailable)) throw error
      reached = -1
      return read(primary)
    }
  }
  return {
    dialect: 'postgres',
    read: (query) => readVia((reader) => reader.read(query)),
    readAll: (queries) => readVia((reader) => reader.readAll(queries)),
    close: async () => {
      await standby.close()
      await primary.close()
    },
  }
}
