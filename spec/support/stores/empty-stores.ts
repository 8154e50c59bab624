import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../../storage/sqlite/connection.ts'
import { migrateSqlite } from '../../../storage/sqlite/migrate.ts'

/** The page size of each store's file, as the service creates it. */
const PAGES = { service: 8192, cache: 4096 } as const
type Kind = keyof typeof PAGES

const emptyStores = new Map<Kind, Buffer>()

const createEmpty = (kind: Kind): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-empty-'))
  const file = join(folder, `${kind}.db`)
  try {
    const connection = connect(file, { readonly: false, pageSize: PAGES[kind] })
    migrateSqlite(connection, kind, () => 0)
    connection.close()
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Writes a SQLite store that has only its tables. The migrations run once per process, because they are most of the
 * work of opening a store.
 */
export const putEmptyStore = (kind: Kind, file: string): void => {
  const bytes = emptyStores.get(kind) ?? createEmpty(kind)
  emptyStores.set(kind, bytes)
  writeFileSync(file, bytes)
}
