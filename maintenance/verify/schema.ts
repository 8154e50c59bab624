import { migrationsOf, unapplied } from '../../storage/disk/migrations.ts'
import type { Difference } from '../../storage/disk/schema-parts.ts'
import { SchemaMismatch } from '../../storage/errors.ts'
import { redacted } from '../../storage/postgres/address.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import type { Connection } from '../../storage/sqlite/connection.ts'
import { differencesInSqlite } from '../../storage/sqlite/schema.ts'

/** The tables, or what acts on them, are not what the migrations make. */
class SchemaAltered extends Error {
  override readonly name = 'SchemaAltered'
}

type Log = (message: string, fields: Readonly<Record<string, unknown>>) => void

/** Differences that a sentence names; more are counted. */
const NAMED = 5

/** What was altered, in words, or null; and sentences on what is odd, or could not be compared. */
export type SchemaFinding = { readonly altered: string | null; readonly notes: readonly string[] }

/** Parts the differences into those that count and those that are noted. */
const judged = (differences: readonly Difference[]): SchemaFinding => {
  const altered = differences.filter(({ isWarning }) => !isWarning).map(({ what }) => what)
  const more = altered.length > NAMED ? ` and ${altered.length - NAMED} more` : ''
  return {
    altered: altered.length === 0 ? null : altered.slice(0, NAMED).join(', ') + more,
    notes: differences
      .filter(({ isWarning }) => isWarning)
      .map(({ what }) => `in the schema, ${what}, which changes no answer`),
  }
}

const refuse = (place: string, { altered, notes }: SchemaFinding, log: Log): void => {
  for (const note of notes) log(note, {})
  if (altered === null) return
  throw new SchemaAltered(
    `the schema of ${place} was altered: ${altered}. Drop what was added and make again what is missing, as the files in migrations/service have it, or put a backup back. ` +
      'Then run "ers verify --deep": rows may have been changed meanwhile',
  )
}

/**
 * Compares the schema of a state directory's file with what its migrations make. Throws `SchemaAltered`, and `SchemaMismatch`
 * for a file of another build.
 */
export const checkFileSchema = (connection: Connection, file: string, log: Log): void =>
  refuse(file, judged(differencesInSqlite(connection)), log)

/**
 * The same for a database whose schema is up to date; reads the catalogue alone, which every role may. Throws
 * `SchemaAltered`.
 */
export const checkDatabaseSchema = async (
  session: Pick<PostgresConnection, 'read'>,
  url: string,
  log: Log,
): Promise<void> => {
  const { differencesInPostgres } = await import('../../storage/postgres/schema.ts')
  refuse(redacted(url), judged(await differencesInPostgres(session)), log)
}

/** What there is to say of a file's schema, on its open snapshot. A file of another build is not compared. */
export const findingInFile = (connection: Connection): SchemaFinding =>
  unlessMisfit(() => judged(differencesInSqlite(connection)))

/** The same for a database. */
export const findingInDatabase = async (session: Pick<PostgresConnection, 'read'>): Promise<SchemaFinding> => {
  const { differencesInPostgres, listApplied, readWrittenSchema } = await import('../../storage/postgres/schema.ts')
  const applied = await session.read(listApplied)
  const older = unlessMisfit(() => {
    const left = unapplied(migrationsOf('service', 'postgres'), applied).length
    if (left > 0)
      throw new SchemaMismatch(
        `its schema is ${applied.length}, this version's is ${readWrittenSchema().schema.service}`,
      )
    return null
  })
  return older ?? judged(await differencesInPostgres(session))
}

const unlessMisfit = <T>(work: () => T): T | SchemaFinding => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SchemaMismatch)) throw error
    return { altered: null, notes: [`the schema was not compared: ${error.message}`] }
  }
}
