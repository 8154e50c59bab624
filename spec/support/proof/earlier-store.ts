import { join } from 'node:path'
import { migrationsOf } from '../../../storage/disk/migrations.ts'
import type { Store } from '../../../storage/open/reader.ts'
import { migratePostgres } from '../../../storage/postgres/migrate.ts'
import { withSession } from '../../../storage/postgres/session.ts'
import { connect } from '../../../storage/sqlite/connection.ts'
import { CREATE_RECORD } from '../../../storage/sqlite/migrate.ts'
import type { Statement } from '../../../storage/storage.ts'
import { databaseStore } from '../stores/database.ts'
import { freshDatabase } from '../stores/fresh-database.ts'
import { onPostgres } from '../stores/open-fresh.ts'
import { freshFolder } from '../stores/store.ts'

/** The number of migrations of the version that had no nodes. */
const MIGRATIONS = 15

export type EarlierStore = {
  readonly store: Store
  /** Where `openService` finds it. */
  readonly location: { readonly dataDir: string } | { readonly database: ReturnType<typeof databaseStore> }
  readonly close: () => Promise<void>
}

/**
 * Creates a store as the last version without nodes left it, on the storage of this run: with the schema of that
 * version, and with content that the statements write.
 */
export const earlierStore = async (content: readonly Statement[]): Promise<EarlierStore> => {
  if (onPostgres) {
    const database = await freshDatabase({ template: false })
    await migrateTo(database.ownerUrl, MIGRATIONS)
    await withSession(database.ownerUrl, async ({ run }) => {
      for (const statement of content) await run(statement)
    })
    const store = databaseStore(database.ownerUrl)
    return { store, location: { database: store }, close: database.close }
  }
  const { dir, remove } = freshFolder()
  const file = join(dir, 'service.db')
  const { database, run, close } = connect(file, { readonly: false })
  database.exec(CREATE_RECORD)
  database.transaction(() => {
    for (const { number, name, text, sha256 } of migrationsOf('service', 'sqlite').slice(0, MIGRATIONS)) {
      database.exec(text)
      database
        .prepare('INSERT INTO migrations (number, name, sha256, applied_at) VALUES (?, ?, ?, 0)')
        .run(number, name, sha256)
    }
    for (const statement of content) run(statement)
  })()
  close()
  return { store: { kind: 'sqlite', file }, location: { dataDir: dir }, close: async () => remove() }
}

/** Applies only the first migrations: the call is interrupted before the next one. */
const migrateTo = async (url: string, count: number): Promise<void> => {
  let transactions = 0
  const enough = new Error('enough')
  const observe = (text: string): void => {
    if (text.startsWith('BEGIN') && transactions++ === count) throw enough
  }
  try {
    await migratePostgres(url, { store: 'service', now: () => 0, observe })
  } catch (error) {
    if (error !== enough) throw error
  }
}
