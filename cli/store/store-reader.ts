import { existsSync } from 'node:fs'
import { z } from 'zod'
import { noStoreIn } from '../../maintenance/no-store.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { migrationsOf } from '../../storage/disk/migrations.ts'
import { Unavailable } from '../../storage/errors.ts'
import { openReader, type OpenReader } from '../../storage/open/reader.ts'
import { one, sql } from '../../storage/sql.ts'
import { asDamage } from '../../storage/sqlite/damage.ts'
import { openSqliteReader } from '../../storage/sqlite/reader.ts'
import type { Reader } from '../../storage/storage.ts'
import { addressOfDatabase, type NamedStore } from './store-options.ts'

/**
 * Opens a store that servers may keep using, for reading. Throws `UserError` if there is none, or if it is of an earlier
 * version.
 */
export const openStoreReader = async (store: NamedStore): Promise<OpenReader> => {
  if (store.kind === 'sqlite' && !existsSync(store.file)) throw new UserError(noStoreIn(store.dataDir))
  const reader: OpenReader =
    store.kind === 'sqlite' ? asDamage(store.file, () => openSqliteReader(store.file)) : await openReader(store)
  try {
    await checkSchema(store.kind === 'sqlite' ? store.file : addressOfDatabase(store), reader)
    return reader
  } catch (error) {
    await reader.close()
    throw error
  }
}

const Schema = z.object({ n: z.number() })

/** Reads need tables and indexes that a migration creates, and a reader cannot run migrations. */
const checkSchema = async (location: string, reader: Reader): Promise<void> => {
  const { n } = await reader
    .read(one(sql.type(Schema)`SELECT coalesce(max(number), 0) AS n FROM migrations`))
    .catch((cause: unknown) => {
      if (cause instanceof Unavailable) throw cause
      throw new UserError(
        `${location} is not a store of this service: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      )
    })
  if (n < migrationsOf('service', reader.dialect).length)
    throw new UserError(`${location} was written by an older version; start the service on it once to update it`)
}
