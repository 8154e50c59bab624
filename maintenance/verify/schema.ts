import { migrationsOf, wrongRecord, type WrongRecord } from '../../storage/disk/migrations.ts'
import type { Difference } from '../../storage/disk/schema-parts.ts'
import { redactedUrl } from '../../storage/postgres/address.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import type { Connection } from '../../storage/sqlite/connection.ts'
import { appliedIn } from '../../storage/sqlite/migrate.ts'
import { differencesInSqlite } from '../../storage/sqlite/schema.ts'
import type { Finding } from './finding.ts'
import { hasTable } from './stored-tables.ts'

/** The tables, or the objects that act on them, differ from the migrations. */
class SchemaAltered extends Error {
  override readonly name = 'SchemaAltered'
}

type Log = (message: string, fields: Readonly<Record<string, unknown>>) => void

/** Maximum number of differences that a message names; the others are counted. */
const MAX_NAMED = 5

/** `notes` are sentences on harmless differences. A schema that could not be compared is a finding too. */
export type SchemaFinding = { readonly finding: Finding | null; readonly notes: readonly string[] }

/** `altered` describes what was altered, or is null. */
type Classified = { readonly altered: string | null; readonly notes: readonly string[] }

/** Separates the differences that matter from the harmless ones. */
const classify = (differences: readonly Difference[]): Classified => {
  const altered = differences.filter(({ isWarning }) => !isWarning).map(({ what }) => what)
  const more = altered.length > MAX_NAMED ? ` and ${altered.length - MAX_NAMED} more` : ''
  return {
    altered: altered.length === 0 ? null : altered.slice(0, MAX_NAMED).join(', ') + more,
    notes: differences
      .filter(({ isWarning }) => isWarning)
      .map(({ what }) => `in the schema, ${what}, which does not affect any response`),
  }
}

const rejectAltered = (place: string, { altered, notes }: Classified, log: Log): void => {
  for (const note of notes) log(note, {})
  if (altered === null) return
  throw new SchemaAltered(
    `the schema of ${place} was altered: ${altered}. Drop what was added and recreate what is missing, as in the files of migrations/service, or restore a backup. ` +
      'Then run "ers verify --deep": rows may have been changed meanwhile',
  )
}

/**
 * Compares the schema of a state directory's file with its migrations. Throws `SchemaAltered`, and `SchemaMismatch` for
 * a file of another build.
 */
export const checkFileSchema = (connection: Connection, file: string, log: Log): void =>
  rejectAltered(file, classify(differencesInSqlite(connection)), log)

/**
 * Compares the schema of an up-to-date database with its migrations. Reads only the system catalogue, which every role
 * may read. Throws `SchemaAltered`.
 */
export const checkDatabaseSchema = async (
  session: Pick<PostgresConnection, 'read'>,
  url: string,
  log: Log,
): Promise<void> => {
  const { differencesInPostgres } = await import('../../storage/postgres/schema.ts')
  rejectAltered(redactedUrl(url), classify(await differencesInPostgres(session)), log)
}

const findingOf = ({ altered, notes }: Classified): SchemaFinding => ({
  finding:
    altered === null ? null : { kind: 'altered', message: `the schema is not what the migrations make: ${altered}` },
  notes,
})

/** A skipped check is a finding, because an attacker could change the record of the migrations to skip it. */
const notCompared = (kind: Finding['kind'], reason: string): SchemaFinding => ({
  finding: { kind, message: `the schema was not compared: ${reason}` },
  notes: [],
})

const findingOfRecord = ({ kind, message }: WrongRecord): SchemaFinding =>
  notCompared(kind === 'changed' ? 'altered' : 'unreadable', message)

/** The finding for the schema of a file, on its open snapshot. An older file is compared with its own migrations. */
export const findingInFile = (connection: Connection): SchemaFinding => {
  const applied = appliedIn(connection)
  const wrong = wrongRecord(migrationsOf('service', 'sqlite'), applied)
  if (wrong) return findingOfRecord(wrong)
  const compared = findingOf(classify(differencesInSqlite(connection)))
  const isEmptied = applied.length === 0 && connection.read(hasTable('events'))
  return compared.finding === null && isEmptied
    ? { ...compared, finding: { kind: 'altered', message: 'the record of all migrations is missing' } }
    : compared
}

/** The finding for the schema of a database. Only the schema of this version can be compared. */
export const findingInDatabase = async (session: Pick<PostgresConnection, 'read'>): Promise<SchemaFinding> => {
  const { differencesInPostgres, listApplied } = await import('../../storage/postgres/schema.ts')
  const applied = await session.read(listApplied)
  const all = migrationsOf('service', 'postgres')
  const wrong = wrongRecord(all, applied)
  if (wrong) return findingOfRecord(wrong)
  if (applied.length < all.length)
    return notCompared(
      'unreadable',
      `its schema is ${applied.length}, this version's is ${all.length}. Verify it with the version that serves it, or migrate it first`,
    )
  return findingOf(classify(await differencesInPostgres(session)))
}
