import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrationsOf } from '../../storage/migrate.ts'
import { fileURLToPath } from 'node:url'
import { withSession } from '../../storage/postgres-session.ts'
import { listFunctions, listTables, readPostgres, WRITTEN } from '../../storage/schema-postgres.ts'
import type { Written } from '../../storage/schema-postgres.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import type { FreshDatabase } from '../support/postgres-databases.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.close())

const numberOf = (store: string): number => migrationsOf(store, 'postgres').length

describe('the parts of the schema that are written down', () => {
  // After a new migration: npx vitest run -u --project postgres spec/storage/postgres-schema.spec.ts
  it('are those that the migrations make', async () => {
    const parts = await withSession(database.appUrl, async ({ read }) => read(readPostgres(await read(listTables), await read(listFunctions))))
    const written: Written = { schema: { service: numberOf('service'), cache: numberOf('cache') }, parts: Object.fromEntries([...parts].toSorted(([a], [b]) => (a < b ? -1 : 1))) }
    await expect(`${JSON.stringify(written, null, 1)}\n`).toMatchFileSnapshot(fileURLToPath(WRITTEN))
  })
})
