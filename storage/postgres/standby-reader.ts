import { Unavailable } from '../errors.ts'
import { findHead } from '../log/head.ts'
import type { PostgresReader } from './storage.ts'

/**
 * Reads from a standby as far as it has come, and from the primary until then: whoever was told of a commit sees it.
 * `needed` is the log position that every read from now on must see; `connections` counts those made to the standby so
 * far.
 */
export const standbyReader = (
  primary: PostgresReader,
  standby: PostgresReader,
  needed: () => number,
  connections: () => number,
): PostgresReader => {
  let reached = -1
  // A standby that crashed may be back before where it had been: what is known of it holds for the connections of that
  // time.
  let known = -1
  let looking = false
  const look = async (): Promise<void> => {
    looking = true
    const before = connections()
    try {
      reached = (await standby.read(findHead)).size
      known = before
    } catch (error) {
      // One that is away is asked again with the next read; until then the primary answers.
      if (!(error instanceof Unavailable)) throw error
      reached = -1
    } finally {
      looking = false
    }
  }
  const through = async <T>(read: (reader: PostgresReader) => Promise<T>): Promise<T> => {
    const now = connections()
    if (reached < needed() || known !== now) {
      // Nobody waits for a standby that lags.
      if (!looking) look().catch(() => (reached = -1))
      return read(primary)
    }
    try {
      const found = await read(standby)
      // It may have been made on a connection that is newer than what was known.
      return connections() === now ? found : await read(primary)
    } catch (error) {
      // Away, or what was read was in the way of what it replays.
      if (!(error instanceof Unavailable)) throw error
      reached = -1
      return read(primary)
    }
  }
  return {
    dialect: 'postgres',
    read: (query) => through((reader) => reader.read(query)),
    readAll: (queries) => through((reader) => reader.readAll(queries)),
    close: async () => {
      await standby.close()
      await primary.close()
    },
  }
}
