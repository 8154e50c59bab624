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

/**
 * What is still to be applied. Throws `SchemaMismatch` when the store knows a migration that this build does not, or knows it
 * otherwise.
 */
export const unapplied = (all: readonly Migration[], applied: readonly Applied[]): readonly Migration[] => {
  for (const { number, name, sha256 } of applied) {
    const ours = all[number - 1]
    if (!ours)
      throw new SchemaMismatch(
        `the store holds migration ${name}, which this build does not know: a newer build wrote it`,
      )
    if (ours.sha256 !== sha256) throw new SchemaMismatch(`migration ${name} was changed after it had been applied`)
  }
  return all.slice(applied.length)
}
