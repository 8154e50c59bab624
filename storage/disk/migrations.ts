import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Connection } from '../sqlite/connection.ts'
import type { Dialect } from '../storage.ts'
import { packageFile } from './package-file.ts'

export type Migration = {
  readonly number: number
  readonly name: string
  readonly text: string
  readonly sha256: string
}

/** Words of a migration that each storage spells its own way. */
const WORDS: Record<Dialect, Record<string, string>> = {
  sqlite: { position: 'integer', bytes: 'blob', json: 'jsontext', key: 'text' },
  // Keys compare by bytes on both: a database's own collation would order and equate them otherwise.
  postgres: { position: 'bigint', bytes: 'bytea', json: 'json', key: 'text COLLATE "C"' },
}

/** The migrations of one store (`service` or `cache`), in order. Numbers are dense from 0001. */
export const migrationsOf = (store: string, dialect: Dialect): Migration[] => {
  const folder = packageFile(`migrations/${store}/`)
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
  return files.map((file, i) => {
    const number = Number(/^(\d{4})-/.exec(file)?.[1])
    if (number !== i + 1) throw new Error(`migrations/${store}/${file} should be number ${i + 1}`)
    // Digested as this storage reads it: a part for the other one may come later.
    const text = dialectText(readFileSync(new URL(file, folder), 'utf8'), dialect)
    return { number, name: file, text, sha256: createHash('sha256').update(text).digest('hex') }
  })
}

/** One text for both storages: `-- only: sqlite` and `-- only: postgres` open parts for one, `-- both` closes them. */
export const dialectText = (text: string, dialect: Dialect): string => {
  let reader: string = dialect
  const lines = text.split('\n').filter((line) => {
    const mark = /^-- (?:only: (\w+)|(both))$/.exec(line)
    if (mark) reader = mark[1] ?? dialect
    return !mark && reader === dialect
  })
  return lines
    .join('\n')
    .replace(/(?<!:):(position|bytes|json|key)\b/g, (_, word: string) => WORDS[dialect][word] ?? word)
}

/** A migration as a store remembers it. */
export type Applied = Pick<Migration, 'number' | 'name' | 'sha256'>

/** The store is of another build, or cannot be migrated as it is. */
export class Misfit extends Error {
  override readonly name = 'Misfit'
}

/**
 * What is still to be applied. Throws `Misfit` when the store knows a migration that this build does not, or knows it
 * otherwise.
 */
export const unapplied = (all: readonly Migration[], applied: readonly Applied[]): readonly Migration[] => {
  for (const { number, name, sha256 } of applied) {
    const ours = all[number - 1]
    if (!ours)
      throw new Misfit(`the store holds migration ${name}, which this build does not know: a newer build wrote it`)
    if (ours.sha256 !== sha256) throw new Misfit(`migration ${name} was changed after it had been applied`)
  }
  return all.slice(applied.length)
}

/** Makes the table in which a SQLite store notes its migrations. */
export const CREATE_RECORD =
  'CREATE TABLE IF NOT EXISTS migrations (number integer PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL, applied_at bigint NOT NULL)'

/** What a SQLite store notes as applied, in order; nothing where it was never migrated. */
export const appliedIn = ({ database }: Connection): Applied[] => {
  const isThere =
    database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'").get() !== undefined
  return isThere
    ? (database.prepare('SELECT number, name, sha256 FROM migrations ORDER BY number').all() as Applied[])
    : []
}

/**
 * Brings a SQLite store up to date, each migration in a transaction of its own: killed at any statement, the next
 * start completes. Throws `Misfit`.
 */
export const migrateSqlite = (connection: Connection, store: string, now: () => number): number => {
  const { database } = connection
  database.exec(CREATE_RECORD)
  const all = migrationsOf(store, 'sqlite')
  for (const { number, name, text, sha256 } of unapplied(all, appliedIn(connection))) {
    database
      .transaction(() => {
        database.exec(text)
        database
          .prepare('INSERT INTO migrations (number, name, sha256, applied_at) VALUES (?, ?, ?, ?)')
          .run(number, name, sha256, now())
      })
      .immediate()
  }
  return all.length
}
