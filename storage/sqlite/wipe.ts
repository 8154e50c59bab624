import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../errors.ts'
import { forgetPendingWipes, listPendingWipes } from '../log/pending-wipes.ts'
import { SEARCH_TABLES } from '../search/search-index.ts'
import { removeTables } from './shadow-tables.ts'
import type { SqliteWriter } from './storage.ts'

/** How many pages one step of a merge writes: commits wait for one step. */
const MERGE_PAGES = 500

/** How often the write-ahead log is truncated before it is left to a later time, and the pause between: reads may hold it. */
const MAX_TRUNCATIONS = 300
const TRUNCATION_PAUSE_MS = 100

/**
 * Overwrites what erasures deleted and is still in the files, if there was an erasure since the last time. Deleted rows are
 * zeroed in the commit that deletes them, but not the words of deleted rows in the search indexes, the tables that a build
 * replaced or left, and the earlier pages in the write-ahead log. Commits run in between. Throws `Unavailable` if reads
 * hold the write-ahead log throughout.
 */
export const wipeFile = async ({ connection, exclusively }: SqliteWriter): Promise<void> => {
  const { database } = connection
  const pending = connection.read(listPendingWipes)
  if (pending.length === 0) return
  const isBuilding = database.prepare('SELECT 1 FROM rebuilds')
  const removeSome = (): boolean => removeTables(database, { withShadow: isBuilding.get() === undefined })
  while (exclusively(removeSome)) await yieldToEventLoop()
  for (const table of Object.values(SEARCH_TABLES)) await mergeSegments({ connection, exclusively }, table)
  for (let n = 1; !truncateLog(database); n++) {
    if (n === MAX_TRUNCATIONS)
      throw new Unavailable('reads hold the write-ahead log: the deleted data is in it until it is next truncated')
    await sleep(TRUNCATION_PAUSE_MS)
  }
  exclusively(() => connection.run(forgetPendingWipes(pending)))
}

/** Copies the write-ahead log into the database and truncates it. Returns false if reads hold it; commits do not wait. */
const truncateLog = (database: SqliteWriter['connection']['database']): boolean => {
  const [{ timeout }] = database.pragma('busy_timeout') as [{ readonly timeout: number }]
  database.pragma('busy_timeout = 0')
  try {
    const [{ busy }] = database.pragma('wal_checkpoint(TRUNCATE)') as [{ readonly busy: number }]
    return busy === 0
  } finally {
    database.pragma(`busy_timeout = ${timeout}`)
  }
}

/**
 * Merges all segments of a full-text index into one, which leaves out the words of deleted rows. A step that changes
 * fewer than two rows has found nothing left to merge (SQLite FTS5, the `merge` command).
 */
const mergeSegments = async (
  { connection: { database }, exclusively }: Pick<SqliteWriter, 'connection' | 'exclusively'>,
  table: string,
): Promise<void> => {
  const merge = database.prepare(`INSERT INTO "${table}" ("${table}", rank) VALUES ('merge', ?)`)
  const changes = database.prepare('SELECT total_changes()').pluck()
  // A negative number includes segments that are too few for an ordinary merge. It is needed once.
  let pages = -MERGE_PAGES
  for (;;) {
    const before = changes.get() as number
    exclusively(() => merge.run(BigInt(pages)))
    if ((changes.get() as number) - before < 2) return
    pages = MERGE_PAGES
    await yieldToEventLoop()
  }
}
