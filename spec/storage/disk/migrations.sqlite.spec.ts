import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dialectText, migrationsOf } from '../../../storage/disk/migrations.ts'
import { connect, type Connection } from '../../../storage/sqlite/connection.ts'
import { migrateSqlite } from '../../../storage/sqlite/migrate.ts'
import { openStore } from '../../support/stores/store.ts'

describe('the text of a migration', () => {
  const text = [
    'CREATE TABLE t (',
    '-- only: sqlite',
    '  a :position',
    '-- only: postgres',
    '  a :position, b :json',
    '-- both',
    ', c :bytes',
    ');',
  ].join('\n')

  it('contains the common parts and those of one storage', () => {
    expect(dialectText(text, 'sqlite')).toBe('CREATE TABLE t (\n  a integer\n, c blob\n);')
    expect(dialectText(text, 'postgres')).toBe('CREATE TABLE t (\n  a bigint, b json\n, c bytea\n);')
  })

  it('replaces the dialect words, and nothing similar', () => {
    expect(dialectText('a :json, b x::json, c :jsonish, d :bytes', 'sqlite')).toBe(
      'a jsontext, b x::json, c :jsonish, d blob',
    )
    expect(dialectText(':position -- only: sqlite is said here', 'postgres')).toBe(
      'bigint -- only: sqlite is said here',
    )
  })

  it.each(['sqlite', 'postgres'] as const)(
    'for %s contains no dialect word and no `only` or `both` mark',
    (dialect) => {
      for (const { text: made } of migrationsOf('service', dialect)) {
        expect(made).not.toMatch(/(?<!:):(position|bytes|json)\b/)
        expect(made).not.toMatch(/^-- (only: |both$)/m)
      }
    },
  )

  it('has the full-text table for SQLite only, and triggers in each dialect', () => {
    const textsOf = (dialect: 'sqlite' | 'postgres') =>
      migrationsOf('service', dialect)
        .map(({ text: made }) => made)
        .join('\n')
    expect(textsOf('sqlite')).toMatch(/USING fts5[\s\S]*/)
    expect(textsOf('sqlite')).toContain('CREATE TRIGGER events_no_update')
    expect(textsOf('postgres')).not.toMatch(/fts5|RAISE\(ABORT/)
    expect(textsOf('postgres')).toContain('CREATE TRIGGER events_no_truncate')
  })

  it('has a separate digest for each storage, of the text for that storage', () => {
    for (const dialect of ['sqlite', 'postgres'] as const)
      for (const { text, sha256 } of migrationsOf('service', dialect))
        expect(sha256).toBe(createHash('sha256').update(text).digest('hex'))
  })
})

describe('migrating', () => {
  let folder: string
  let connection: Connection
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ers-migrate-'))
    connection = connect(join(folder, 'store.db'), { readonly: false })
  })
  afterEach(() => {
    connection.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const write = (name: string, ...statements: readonly string[]): void =>
    writeFileSync(join(folder, name), statements.map((statement) => `${statement};\n`).join(''))

  /** Migrates with the files of `folder`. The name of a store is the path of its files, relative to `migrations/`. */
  const migrate = (): number =>
    migrateSqlite(
      connection,
      relative(fileURLToPath(new URL('../../../migrations/', import.meta.url)), folder),
      () => 7,
    )

  const tables = (): unknown[] =>
    connection.database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").pluck().all()
  const applied = (): unknown[] =>
    connection.database.prepare('SELECT name, applied_at FROM migrations ORDER BY number').raw().all()

  it('applies new migrations in order and records them', () => {
    write('0001-a.sql', 'CREATE TABLE a (x)')
    expect(migrate()).toBe(1)
    write('0002-b.sql', 'ALTER TABLE a ADD COLUMN y', 'CREATE TABLE b (x)')
    write('0003-c.sql', 'ALTER TABLE a RENAME TO c')
    expect(migrate()).toBe(3)
    expect(migrate()).toBe(3)
    expect(tables()).toEqual(['b', 'c', 'migrations'])
    expect(applied()).toEqual([
      ['0001-a.sql', 7],
      ['0002-b.sql', 7],
      ['0003-c.sql', 7],
    ])
  })

  it.each([[['0002-a.sql']], [['0001-a.sql', '0003-b.sql']], [['0001-a.sql', '0001-b.sql']], [['a.sql']]])(
    'rejects a gap in the numbers, a duplicate number and a name without a number: %j',
    (names) => {
      for (const name of names) write(name, 'SELECT 1')
      expect(migrate).toThrow('should be number')
      expect(tables()).toEqual(['migrations'])
    },
  )

  it('rejects a file that changed after it was applied', () => {
    write('0001-a.sql', 'CREATE TABLE a (x)')
    migrate()
    write('0001-a.sql', 'CREATE TABLE a (x, y)')
    write('0002-b.sql', 'CREATE TABLE b (x)')
    expect(migrate).toThrow('0001-a.sql was changed')
    expect(tables()).toEqual(['a', 'migrations'])
  })

  it('rejects a store of a newer build', () => {
    write('0001-a.sql', 'CREATE TABLE a (x)')
    write('0002-b.sql', 'CREATE TABLE b (x)')
    migrate()
    rmSync(join(folder, '0002-b.sql'))
    expect(migrate).toThrow('0002-b.sql, which this build does not know')
  })

  it('completes at the next start after an interruption at any statement', () => {
    write('0001-a.sql', 'CREATE TABLE a (x)')
    const whole = ['CREATE TABLE b (x)', 'INSERT INTO a VALUES (1)', 'CREATE TABLE c (x)']
    for (let at = 0; at <= whole.length; at++) {
      write('0002-b.sql', ...whole.slice(0, at), 'SELECT * FROM missing')
      expect(migrate).toThrow('no such table: missing')
      expect(tables()).toEqual(['a', 'migrations'])
      expect(connection.database.prepare('SELECT count(*) FROM a').pluck().get()).toBe(0)
      expect(connection.database.inTransaction).toBe(false)
    }
    write('0002-b.sql', ...whole)
    expect(migrate()).toBe(2)
    expect(tables()).toEqual(['a', 'b', 'c', 'migrations'])
  })
})

it('the migrations of the service change nothing at a second start', () => {
  const store = openStore()
  const { database } = store.writer.connection
  const schema = database.prepare('SELECT sql FROM sqlite_master ORDER BY name').pluck()
  const schemaBefore = schema.all()
  expect(migrateSqlite(store.writer.connection, 'service', () => 9)).toBe(migrationsOf('service', 'sqlite').length)
  expect(schema.all()).toEqual(schemaBefore)
  store.close()
})
