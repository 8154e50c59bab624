import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { NewEvent } from '../../../storage/command.ts'
import { recordCommitment, recordLeaf } from '../../../storage/log/event.ts'
import { appendLeaf, emptyFrontier, encodeFrontier, treeRoot } from '../../../storage/log/merkle.ts'
import { openSqliteWriter } from '../../../storage/sqlite/storage.ts'
import { aCommand, commitAll, onFile, steppingClock } from '../stores/store.ts'

/** Records events in a store that is not open, 100 in a commit, with their nodes. */
export const record = (file: string, events: readonly NewEvent[]): void => {
  const writer = openSqliteWriter({ file, project: () => [], now: steppingClock(), instance: 'spec' })
  try {
    for (let at = 0; at < events.length; at += 100) {
      const [outcome] = commitAll(writer, aCommand(events.slice(at, at + 100)))
      if (outcome?.ok !== true) throw new Error('nothing was recorded', { cause: outcome?.error })
    }
  } finally {
    writer.close()
  }
}

/** Changes the file as its owner could, without the triggers. Changes nothing if the work fails. */
export const damage = (file: string, work: string | ((database: Database.Database) => void)): void =>
  onFile(file, (database) => {
    // The file is a copy for one spec, which need not survive a power cut.
    database.pragma('synchronous = OFF')
    const triggers = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all() as Array<{
      name: string
      sql: string
    }>
    database.transaction(() => {
      for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`)
      if (typeof work === 'string') database.exec(work)
      else work(database)
      for (const { sql } of triggers) database.exec(sql)
    })()
  })

/** Rewrites the body of one record consistently: body, commitment and leaf. */
export const reseal = (database: Database.Database, seq: number, change: (body: string) => string): void => {
  const { recorded_at, type, body } = database
    .prepare('SELECT recorded_at, type, body FROM events JOIN event_bodies USING (seq) WHERE seq = ?')
    .get(seq) as { recorded_at: number; type: string; body: string }
  const salt = Buffer.alloc(16, 1)
  const commitment = recordCommitment(salt, change(body))
  database.prepare('UPDATE event_bodies SET body = ?, salt = ? WHERE seq = ?').run(change(body), salt, seq)
  database
    .prepare('UPDATE events SET commitment = ?, leaf = ? WHERE seq = ?')
    .run(commitment, recordLeaf(commitment, recorded_at, type), seq)
}

/** Makes head and nodes match the records, as a rewrite of history would. */
export const rehead = (database: Database.Database): void => {
  const leaves = leavesOf(database)
  const frontier = leaves.reduce((tree, leaf) => appendLeaf(tree, leaf), emptyFrontier())
  database
    .prepare(
      'UPDATE log_head SET size = ?, frontier = ?, recorded_at = (SELECT recorded_at FROM events ORDER BY seq DESC)',
    )
    .run(frontier.size, encodeFrontier(frontier))
  database.exec('DELETE FROM log_nodes')
  const insert = database.prepare('INSERT INTO log_nodes (level, n, hash) VALUES (?, ?, ?)')
  for (let level = 1; 256 ** level <= leaves.length; level++)
    for (let n = 0; (n + 1) * 256 ** level <= leaves.length; n++)
      insert.run(level, n, rootAt(leaves.slice(n * 256 ** level, (n + 1) * 256 ** level)))
}

const leavesOf = (database: Database.Database): Buffer[] =>
  database.prepare('SELECT leaf FROM events ORDER BY seq').pluck().all() as Buffer[]

const rootAt = (leaves: readonly Buffer[]): Buffer =>
  treeRoot(leaves.reduce((tree, leaf) => appendLeaf(tree, leaf), emptyFrontier()))

/** The root of the first records of a file. */
export const rootIn = (file: string, size: number): Buffer =>
  onFile(file, (database) => (size === 0 ? createHash('sha256').digest() : rootAt(leavesOf(database).slice(0, size))))
