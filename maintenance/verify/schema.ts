import { migrationsOf, unapplied } from '../../storage/disk/migrations.ts'
import type { Difference } from '../../storage/disk/schema-parts.ts'
import { SchemaMismatch } from '../../storage/errors.ts'
import { redacted } from '../../storage/postgres/address.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import type { Connection } from '../../storage/sqlite/connection.ts'
import { differencesInSqlite } from '../../storage/sqlite/schema.ts'

/** The tables, or the objects that act on them, differ from the migrations. */
class SchemaAltered extends Error {
  override readonly name = 'SchemaAltered'
}

type Log = (message: string, fields: Readonly<Record<string, unknown>>) => void

/** Maximum number of differences that a message names; the others are counted. */
const MAX_NAMED = 5

/**
 * `altered` describes what was altered, or is null. `notes` are sentences on harmless differences, or on what could not
 * be compared.
 */
export type SchemaFinding = {
  readonly altered: string | null
  readonly notes: readonly string[]
  /** False for a store of another build. */
  readonly isCompared: boolean
}

/** Separates the differences that matter from the harmless ones. */
const classify = (differences: readonly Difference[]): SchemaFinding => {
  const altered = differences.filter(({ isWarning }) => !isWarning).map(({ what }) => what)
  const more = altered.length > MAX_NAMED ? ` and ${altered.length - MAX_NAMED} more` : ''
  return {
    altered: altered.length === 0 ? null : altered.slice(0, MAX_NAMED).join(', ') + more,
    isCompared: true,
    notes: differences
      .filter(({ isWarning }) => isWarning)
      .map(({ what }) => `in the schema, ${what}, which does not affect any response`),
  }
}

const rejectAltered = (place: string, { altered, notes }: SchemaFinding, log: Log): void => {
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
  rejectAltered(redacted(url), classify(await differencesInPostgres(session)), log)
}

/** The finding for the schema of a file, on its open snapshot. A file of another build is not compared. */
export const findingInFile = (connection: Connection): SchemaFinding =>
  orNotCompared(() => classify(differencesInSqlite(connection)))

/** The finding for the schema of a database. */
export const findingInDatabase = async (session: Pick<PostgresConnection, 'read'>): Promise<SchemaFinding> => {
  const { differencesInPostgres, listApplied, readWrittenSchema } = await import('../../storage/postgres/schema.ts')
  const applied = await session.read(listApplied)
  const older = orNotCompared(() => {
    const left = unapplied(migrationsOf('service', 'postgres'), applied).length
    if (left > 0)
      throw new SchemaMismatch(
        `its schema is ${applied.length}, this version's is ${readWrittenSchema().schema.service}`,
      )
    return null
  })
  return older ?? classify(await differencesInPostgres(session))
}

const orNotCompared = <T>(work: () => T): T | SchemaFinding => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SchemaMismatch)) throw error
    return { altered: null, isCompared: false, notes: [`the schema was not compared: ${error.message}`] }
  }
}
