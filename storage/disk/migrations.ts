import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { SchemaMismatch } from '../errors.ts'
import type { Dialect } from '../storage.ts'
import { packageFile } from './package-file.ts'

export type Migration = {
  readonly number: number
  readonly name: string
  readonly text: string
  readonly sha256: string
}

/** Words of a migration that each storage spells differently. */
const DIALECT_WORDS: Record<Dialect, Record<string, string>> = {
  sqlite: { position: 'integer', bytes: 'blob', json: 'jsontext', key: 'text' },
  // Keys are compared as bytes on both storages: the collation of a database would use another order and another
  // equality.
  postgres: { position: 'bigint', bytes: 'bytea', json: 'json', key: 'text COLLATE "C"' },
}

/** The migrations of one store (`service` or `cache`), in order. Numbers start at 0001 and have no gaps. */
export const migrationsOf = (store: string, dialect: Dialect): Migration[] => {
  const folder = packageFile(`migrations/${store}/`)
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
  return files.map((file, i) => {
    const number = Number(/^(\d{4})-/.exec(file)?.[1])
    if (number !== i + 1) throw new Error(`migrations/${store}/${file} should be number ${i + 1}`)
    // The digest covers the text of this storage only, so that a part for the other storage can be added later.
    const text = dialectText(readFileSync(new URL(file, folder), 'utf8'), dialect)
    return { number, name: file, text, sha256: createHash('sha256').update(text).digest('hex') }
  })
}

/**
 * One text for both storages: `-- only: sqlite` and `-- only: postgres` start a part for one storage, `-- both` ends
 * it.
 */
export const dialectText = (text: string, dialect: Dialect): string => {
  let target: string = dialect
  const lines = text.split('\n').filter((line) => {
    const mark = /^-- (?:only: (\w+)|(both))$/.exec(line)
    if (mark) target = mark[1] ?? dialect
    return !mark && target === dialect
  })
  return lines
    .join('\n')
    .replace(/(?<!:):(position|bytes|json|key)\b/g, (_, word: string) => DIALECT_WORDS[dialect][word] ?? word)
}

/** A migration as recorded in a store. */
export type Applied = Pick<Migration, 'number' | 'name' | 'sha256'>

/** What is wrong with the record of applied migrations. `changed`: it differs from what was recorded when they were applied. */
export type WrongRecord = { readonly kind: 'unknown' | 'changed'; readonly message: string }

/**
 * Compares the migrations that a store records, in order, with those of this build. Null if the record is the first part of
 * them. Name and number are compared too,
 * because the digest of a changed row could be that of another migration.
 */
export const wrongRecord = (all: readonly Migration[], applied: readonly Applied[]): WrongRecord | null => {
  for (const [i, { number, name, sha256 }] of applied.entries()) {
    if (number > all.length)
      return {
        kind: 'unknown',
        message: `the store holds migration ${name}, which this build does not know: a newer build wrote it`,
      }
    const migration = all[i]
    if (number !== migration?.number)
      return { kind: 'changed', message: `the record of migration ${i + 1} is missing, or has another number` }
    if (migration.sha256 !== sha256 || migration.name !== name)
      return { kind: 'changed', message: `migration ${name} was changed after it had been applied` }
  }
  return null
}

/**
 * The migrations that are not applied yet. Throws `SchemaMismatch` if the store has a migration that this build does
 * not know, or knows with a different text.
 */
export const missingMigrations = (all: readonly Migration[], applied: readonly Applied[]): readonly Migration[] => {
  const wrong = wrongRecord(all, applied)
  if (wrong) throw new SchemaMismatch(wrong.message)
  return all.slice(applied.length)
}
