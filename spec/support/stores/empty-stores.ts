import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../../storage/sqlite/connection.ts'
import { migrateSqlite } from '../../../storage/sqlite/migrate.ts'

/** The page size of each store's file, as the service makes it. */
const PAGES = { service: 8192, cache: 4096 } as const
type Kind = keyof typeof PAGES

const made = new Map<Kind, Buffer>()

const make = (kind: Kind): Buffer => {
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
 * Writes a SQLite store that holds its tables and nothing else. The migrations run once in a process: they are most of
 * the work of opening one.
 */
export const putEmptyStore = (kind: Kind, file: string): void => {
  const bytes = made.get(kind) ?? make(kind)
  made.set(kind, bytes)
  writeFileSync(file, bytes)
}
