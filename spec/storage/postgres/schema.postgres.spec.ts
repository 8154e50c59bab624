import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { migrationsOf } from '../../../storage/disk/migrations.ts'
import { migrateDatabase } from '../../../storage/postgres/migrate.ts'
import { withSession } from '../../../storage/postgres/session.ts'
import {
  differencesInPostgres,
  listFunctions,
  listTables,
  readPostgres,
  WRITTEN_SCHEMA,
} from '../../../storage/postgres/schema.ts'
import type { WrittenSchema } from '../../../storage/postgres/schema.ts'
import { onDatabase } from '../../support/stores/database.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'
import { OWNER } from '../../support/postgres/databases.ts'

afterAll(() => database.close())

const numberOf = (store: string): number => migrationsOf(store, 'postgres').length
const database = await freshDatabase()

describe('the stored parts of the schema', () => {
  // After a new migration: npx vitest run -u --project postgres spec/storage/postgres/schema.postgres.spec.ts
  it('equal those that the migrations create', async () => {
    const parts = await withSession(database.appUrl, async ({ read }) =>
      read(readPostgres(await read(listTables), await read(listFunctions))),
    )
    const written: WrittenSchema = {
      schema: { service: numberOf('service'), cache: numberOf('cache') },
      parts: Object.fromEntries([...parts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    }
    await expect(`${JSON.stringify(written, null, 1)}\n`).toMatchFileSnapshot(fileURLToPath(WRITTEN_SCHEMA))
  })

  it("are the same in a database with a language's collation", async () => {
    const icu = await freshDatabase({ icu: true })
    expect(await withSession(icu.appUrl, differencesInPostgres)).toEqual([])
    await icu.close()
  })

  it('are the same in a schema with another name', async () => {
    const other = await freshDatabase({ template: false })
    await onDatabase(other.superUrl, (client) =>
      client.query(
        `CREATE SCHEMA "on e.s" AUTHORIZATION ${OWNER}; ALTER DATABASE ${other.name} SET search_path = "on e.s"`,
      ),
    )
    await migrateDatabase(other.ownerUrl, { now: () => 0 })
    expect(await withSession(other.ownerUrl, differencesInPostgres)).toEqual([])
    await onDatabase(other.ownerUrl, (client) => client.query('DROP TRIGGER events_dense ON events'))
    expect(await withSession(other.ownerUrl, differencesInPostgres)).toEqual([
      { what: 'trigger events.events_dense is missing', isWarning: false },
    ])
    await other.close()
  })
})
