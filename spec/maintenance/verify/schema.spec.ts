import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rebuildDatabase } from '../../../maintenance/rebuild/postgres.ts'
import { rebuildTables } from '../../../maintenance/rebuild/sqlite.ts'
import { verifyLog } from '../../../maintenance/verify/log.ts'
import { CLI } from '../../../queries/access/viewer.ts'
import { openService } from '../../../runtime/open-service.ts'
import { openWriterOnSqlite } from '../../../runtime/writer/sqlite.ts'
import { migrationsOf } from '../../../storage/disk/migrations.ts'
import { withSession } from '../../../storage/postgres/session.ts'
import { CREATE_RECORD } from '../../../storage/sqlite/migrate.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { PROGRAM } from '../../support/servers/program.ts'
import { durableStore, type DurableStore } from '../../support/stores/durable-store.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { onFile } from '../../support/stores/store.ts'
import { verifyStore } from '../../support/stores/verified.ts'

let store: DurableStore
beforeEach(async () => {
  store = await durableStore()
  const service = await store.start()
  await service.commit.ingestRun(CLI, {
    body: new TextEncoder().encode(JSON.stringify(aDocument())),
    encoding: null,
  })
  await service.close()
})
afterEach(() => store.remove())

const altered = async (): Promise<string> => {
  const { finding } = await verifyStore(store)
  expect(finding?.kind).toBe('altered')
  return finding?.message ?? ''
}

/** The change to the schema on SQLite, on PostgreSQL (null if it is impossible there), and the reported differences. */
type Alteration = readonly [
  what: string,
  sqlite: string | null,
  postgres: string | null,
  difference: string | readonly [sqlite: string, postgres: string],
]

const ACTING =
  'CREATE FUNCTION plant() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM restrictions; RETURN NULL; END $$;'

const ALTERATIONS: readonly Alteration[] = [
  [
    'the trigger against deletions is missing',
    'DROP TRIGGER events_no_delete',
    'DROP TRIGGER events_no_delete ON events',
    'trigger events.events_no_delete is missing',
  ],
  [
    'a trigger undoes restrictions',
    'CREATE TRIGGER planted AFTER INSERT ON restrictions BEGIN DELETE FROM restrictions; END',
    `${ACTING} CREATE TRIGGER planted AFTER INSERT ON restrictions FOR EACH ROW EXECUTE FUNCTION plant()`,
    'trigger restrictions.planted was added',
  ],
  [
    'a trigger has another condition',
    "DROP TRIGGER events_no_update; CREATE TRIGGER events_no_update BEFORE UPDATE ON events WHEN NEW.seq > 9 BEGIN SELECT RAISE(ABORT, 'events are never changed'); END",
    "DROP TRIGGER events_no_update ON events; CREATE TRIGGER events_no_update BEFORE UPDATE ON events FOR EACH ROW WHEN (NEW.seq > 9) EXECUTE FUNCTION refuse('events are never changed'); ALTER TABLE events ENABLE ALWAYS TRIGGER events_no_update",
    'trigger events.events_no_update was changed',
  ],
  [
    'a trigger is switched off',
    null,
    'ALTER TABLE events DISABLE TRIGGER events_no_update',
    'trigger events.events_no_update was changed',
  ],
  [
    'a trigger is off in sessions with the role of a replica',
    null,
    'ALTER TABLE event_bodies ENABLE TRIGGER event_bodies_no_update',
    'trigger event_bodies.event_bodies_no_update was changed',
  ],
  [
    'the function of a trigger does nothing',
    null,
    'CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    'function refuse was changed',
  ],
  [
    'a function finds other tables',
    null,
    'ALTER FUNCTION events_dense() RESET search_path',
    'function events_dense was changed',
  ],
  [
    'a second function has the same name',
    null,
    'CREATE FUNCTION holds_phrases(tsvector, tsvector, tsquery[]) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$',
    'function holds_phrases was added',
  ],
  [
    'a rule skips restrictions',
    null,
    'CREATE RULE planted AS ON INSERT TO restrictions DO INSTEAD NOTHING',
    'rule restrictions.planted was added',
  ],
  [
    'a policy hides runs',
    null,
    'ALTER TABLE runs ENABLE ROW LEVEL SECURITY; CREATE POLICY planted ON runs USING (run_no > 1)',
    'policy runs.planted was added, table runs was changed',
  ],
  ['another table adds rows', null, 'CREATE TABLE planted () INHERITS (grants)', 'child grants.planted was added'],
  ['a table is lost in a crash', null, 'ALTER TABLE password_hashes SET UNLOGGED', 'table password_hashes was changed'],
  [
    'a table has an additional column',
    'ALTER TABLE runs ADD COLUMN planted text',
    'ALTER TABLE runs ADD COLUMN planted text',
    'column runs.planted was added',
  ],
  [
    'a table lacks a column',
    'ALTER TABLE runs DROP COLUMN note',
    'ALTER TABLE runs DROP COLUMN note',
    'column runs.note is missing',
  ],
  [
    'a column has another type',
    'ALTER TABLE runs DROP COLUMN note; ALTER TABLE runs ADD COLUMN note blob',
    'ALTER TABLE runs ALTER COLUMN note TYPE varchar(10)',
    'column runs.note was changed',
  ],
  [
    'a column has a default',
    "ALTER TABLE runs DROP COLUMN note; ALTER TABLE runs ADD COLUMN note text DEFAULT 'x'",
    "ALTER TABLE runs ALTER COLUMN note SET DEFAULT 'x'",
    'column runs.note was changed',
  ],
  [
    'a column has another collation',
    null,
    'ALTER TABLE sets ALTER COLUMN project TYPE text COLLATE "default"',
    'column sets.project was changed',
  ],
  [
    'a column is computed differently',
    'DROP INDEX event_bodies_by_kind; ALTER TABLE event_bodies DROP COLUMN stream_kind; ALTER TABLE event_bodies ADD COLUMN stream_kind text GENERATED ALWAYS AS (substr(stream, 2)) VIRTUAL; CREATE INDEX event_bodies_by_kind ON event_bodies (stream_kind, seq)',
    'ALTER TABLE event_bodies DROP COLUMN stream_kind; ALTER TABLE event_bodies ADD COLUMN stream_kind text COLLATE "C" GENERATED ALWAYS AS (substr(stream, 2)) STORED; CREATE INDEX event_bodies_by_kind ON event_bodies (stream_kind, seq)',
    ['table event_bodies was changed', 'column event_bodies.stream_kind was changed'],
  ],
  [
    'a check is missing',
    'CREATE TABLE other (one bigint PRIMARY KEY, instance_id text NOT NULL); DROP TABLE holder; ALTER TABLE other RENAME TO holder',
    'ALTER TABLE holder DROP CONSTRAINT holder_one_check',
    ['table holder was changed', 'constraint holder.holder_one_check is missing'],
  ],
  [
    'a key is no longer unique',
    'CREATE TABLE other (session_id text PRIMARY KEY, token_hash text NOT NULL); DROP TABLE session_tokens; ALTER TABLE other RENAME TO session_tokens',
    'ALTER TABLE session_tokens DROP CONSTRAINT session_tokens_token_hash_key',
    [
      'key session_tokens (token_hash binary) is missing',
      'constraint session_tokens.session_tokens_token_hash_key is missing',
    ],
  ],
  [
    'rows of a table are deleted together with rows of another table',
    'CREATE TABLE other (session_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE, token_hash text NOT NULL UNIQUE); DROP TABLE session_tokens; ALTER TABLE other RENAME TO session_tokens',
    'ALTER TABLE session_tokens ADD CONSTRAINT planted FOREIGN KEY (session_id) REFERENCES users (id) ON DELETE CASCADE',
    ['table session_tokens was changed', 'constraint session_tokens.planted was added'],
  ],
  ['an index is missing', 'DROP INDEX runs_newest', 'DROP INDEX runs_newest', 'index runs.runs_newest is missing'],
  [
    'an index holds other rows',
    'DROP INDEX runs_failing; CREATE INDEX runs_failing ON runs (created_at DESC, id DESC) WHERE erroring',
    'DROP INDEX runs_failing; CREATE INDEX runs_failing ON runs (created_at DESC, id DESC) WHERE erroring',
    'index runs.runs_failing was changed',
  ],
  [
    'the search index stores words differently',
    "DROP TABLE run_search; CREATE VIRTUAL TABLE run_search USING fts5 (scope, name, tags, error, reasons, output, prompt, content = '', contentless_delete = 1, detail = full)",
    null,
    'table run_search was changed',
  ],
  [
    'a table of a rebuild has a trigger',
    'CREATE TABLE fresh_runs (x); CREATE TRIGGER planted AFTER INSERT ON fresh_runs BEGIN DELETE FROM restrictions; END',
    null,
    'trigger fresh_runs.planted was added',
  ],
  [
    'a view replaces a table',
    'ALTER TABLE restrictions RENAME TO others; CREATE VIEW restrictions AS SELECT * FROM others WHERE false',
    null,
    'table restrictions was changed, column restrictions.scope_key is missing',
  ],
  [
    'a cache entry acts on other tables',
    null,
    `${ACTING} CREATE TRIGGER planted AFTER INSERT ON cache_entries FOR EACH ROW EXECUTE FUNCTION plant()`,
    'trigger cache_entries.planted was added',
  ],
  ['the record of the migrations is missing', 'DROP TABLE migrations', null, 'table migrations is missing'],
]

describe('an altered schema', () => {
  const here = ALTERATIONS.flatMap(([what, sqlite, postgres, difference]) => {
    const work = onPostgres ? postgres : sqlite
    return work === null
      ? []
      : [{ what, work, difference: typeof difference === 'string' ? difference : difference[onPostgres ? 1 : 0] }]
  })

  it.each(here)('is reported by verify and stops a start before it writes: $what', async ({ work, difference }) => {
    await store.sql.execute(work)
    const before = await store.sql.column('SELECT count(*) FROM events')
    expect(await altered()).toContain(`the schema is not what the migrations make: ${difference}`)
    await store.sql.close()

    const error = await store.start().then(
      () => null,
      (failed: unknown) => failed as Error,
    )
    expect(error?.name).toBe('SchemaAltered')
    expect(error?.message).toContain(` was altered: ${difference}`)
    expect(error?.message).toContain('Drop what was added and recreate what is missing')
    expect(error?.message).not.toMatch(/password=|:\/\/[^@:]*:[^@]*@/)
    expect(await store.sql.column('SELECT count(*) FROM events')).toEqual(before)
  })

  it('is reported with a few differences, triggers first, and a count of others', async () => {
    const drop = (name: string, table: string): string => `DROP TRIGGER ${name}${onPostgres ? ` ON ${table}` : ''};`
    await store.sql.execute(
      `DROP INDEX runs_newest; DROP INDEX runs_by_set; DROP INDEX runs_ci; ALTER TABLE runs ADD COLUMN planted text; ${drop('events_dense', 'events')} ${drop('events_no_update', 'events')} ${drop('event_bodies_last', 'event_bodies')}`,
    )
    expect(await altered()).toMatch(
      /: (?:trigger [\w.]+ is missing, ){3}column runs\.planted was added, index [\w.]+ is missing and 2 more$/,
    )
  })

  it('ends ers verify with exit code 10, and stops ers rebuild before it changes anything', async () => {
    const ers = (...args: readonly string[]) =>
      spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8', env: bareEnvironment() })
    await store.sql.execute(
      onPostgres
        ? `${ACTING} CREATE TRIGGER planted AFTER INSERT ON restrictions FOR EACH ROW EXECUTE FUNCTION plant()`
        : 'CREATE TRIGGER planted AFTER INSERT ON restrictions BEGIN DELETE FROM restrictions; END',
    )
    await store.sql.close()
    expect(ers('verify', ...store.cliOptions)).toMatchObject({
      status: 10,
      stdout: '',
      stderr: 'altered: the schema is not what the migrations make: trigger restrictions.planted was added\n',
    })
    const rebuilt = ers('rebuild', ...(store.ownerUrl === null ? store.cliOptions : ['--database-url', store.ownerUrl]))
    expect(rebuilt).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('was altered: trigger restrictions.planted was added') as string,
    })
    expect(await store.sql.column("SELECT count(*) FROM events WHERE type = 'ProjectionRebuilt'")).toEqual([0])
  })

  it('stops ers serve with an error but no stack, and ends ers delete with exit code 2', async () => {
    const owned = store.ownerUrl === null ? store.cliOptions : ['--database-url', store.ownerUrl]
    const ers = (...args: readonly string[]) => {
      const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
        encoding: 'utf8',
        env: { ...bareEnvironment(), ...(store.ownerUrl === null ? {} : { SERVICE_DATABASE_URL: store.ownerUrl }) },
      })
      return { status, stderr }
    }
    await store.sql.execute(onPostgres ? 'DROP TRIGGER events_no_delete ON events' : 'DROP TRIGGER events_no_delete')
    await store.sql.close()
    const { status, stderr } = ers('serve', '--port', '0', '--data-dir', store.dataDir)
    expect(status).toBe(1)
    expect(stderr).toContain('was altered: trigger events.events_no_delete is missing. Drop what was added')
    expect(stderr).not.toContain('stack')
    expect(ers('delete', 'a', ...owned)).toEqual({
      status: 2,
      stderr: expect.stringContaining('trigger events.events_no_delete is missing') as string,
    })
  })
})

if (!onPostgres) {
  it('an older file is compared with its own migrations, then updated', async () => {
    const dataDir = join(store.dataDir, 'earlier')
    mkdirSync(dataDir)
    const file = join(dataDir, 'service.db')
    onFile(file, (database) => {
      database.exec(CREATE_RECORD)
      for (const { number, name, text, sha256 } of migrationsOf('service', 'sqlite').slice(0, 5)) {
        database.exec(text)
        database
          .prepare('INSERT INTO migrations (number, name, sha256, applied_at) VALUES (?, ?, ?, 0)')
          .run(number, name, sha256)
      }
    })
    expect(await verifyLog(file, null)).toMatchObject({ finding: null, notes: [] })
    onFile(file, (database) => database.exec('DROP INDEX runs_newest'))
    expect((await verifyLog(file, null)).finding?.message).toContain('index runs.runs_newest is missing')
    await expect(openService({ dataDir })).rejects.toThrow('index runs.runs_newest is missing')
    onFile(file, (database) => database.exec('CREATE INDEX runs_newest ON runs (created_at DESC, id DESC)'))
    await (await openService({ dataDir })).close()
    expect(await verifyLog(file, null)).toMatchObject({ finding: null, notes: [] })
  })
  it('a file whose record lacks a migration is compared with the schema before it, and has more', async () => {
    await store.sql.execute('DELETE FROM migrations WHERE number > 20')
    expect(await altered()).toMatch(/table \w+ was added/)
  })

  it('a file whose record of all migrations was deleted is altered, although its schema is that of this version', async () => {
    await store.sql.execute('DELETE FROM migrations')
    expect(await altered()).toBe('the record of all migrations is missing')
  })
} else {
  it('an older database is not compared, which is a finding', async () => {
    await store.sql.execute('DELETE FROM migrations WHERE number = (SELECT max(number) FROM migrations)')
    const all = migrationsOf('service', 'postgres').length
    expect((await verifyStore(store)).finding).toEqual({
      kind: 'unreadable',
      message: `the schema was not compared: its schema is ${all - 1}, this version's is ${all}. Verify it with the version that serves it, or migrate it first`,
    })
  })
}

describe('a schema that cannot be compared, with a trigger that was added', () => {
  const PLANTED = onPostgres
    ? `${ACTING} CREATE TRIGGER planted AFTER INSERT ON restrictions FOR EACH ROW EXECUTE FUNCTION plant()`
    : 'CREATE TRIGGER planted AFTER INSERT ON restrictions BEGIN DELETE FROM restrictions; END'

  it.each([
    [
      20,
      'of a newer version',
      "INSERT INTO migrations (number, name, sha256, applied_at) VALUES (99, '0099-newer.sql', '', 0)",
      'unreadable: the schema was not compared: the store holds migration 0099-newer.sql, which this build does not know: a newer build wrote it',
    ],
    [
      10,
      'with another digest of a migration',
      "UPDATE migrations SET sha256 = '0' WHERE number = 3",
      'altered: the schema was not compared: migration 0003-rebuilds.sql was changed after it had been applied',
    ],
    [
      10,
      'with another name of a migration',
      "UPDATE migrations SET name = 'x' WHERE number = 3",
      'altered: the schema was not compared: migration x was changed after it had been applied',
    ],
    [
      10,
      'without the record of a migration',
      'DELETE FROM migrations WHERE number = 3',
      'altered: the schema was not compared: the record of migration 3 is missing, or has another number',
    ],
    [
      10,
      'with the number 0 of a migration',
      'UPDATE migrations SET number = 0 WHERE number = 1',
      'altered: the schema was not compared: the record of migration 1 is missing, or has another number',
    ],
  ])('ends ers verify with exit code %i %s', async (status, _, change, message) => {
    await store.sql.execute(`${PLANTED}; ${change}`)
    await store.sql.close()
    const { stderr, ...ended } = spawnSync(process.execPath, [PROGRAM, 'verify', ...store.cliOptions], {
      encoding: 'utf8',
      env: bareEnvironment(),
    })
    expect(ended).toMatchObject({ status, stdout: '' })
    expect(stderr).toBe(`${message}\n`)
  })
})

it('rebuilt read tables and tables copied with their rows are valid', async () => {
  const url = store.ownerUrl
  if (url === null) {
    const writeSide = await openWriterOnSqlite({
      file: join(store.dataDir, 'service.db'),
      instance: 'i',
      now: Date.now,
      onCommitted: () => {},
      log: () => {},
    })
    expect(() => rebuildTables(writeSide.writer, { observe: (step) => interruptAt('swap', step) })).toThrow(
      'interrupted',
    )
    expect(await verifyStore(store)).toMatchObject({ finding: null, notes: [] })
    rebuildTables(writeSide.writer)
    writeSide.writer.connection.database.exec('VACUUM')
    await writeSide.close()
  } else await withSession(url, (session) => rebuildDatabase(session))
  expect(await verifyStore(store)).toMatchObject({ finding: null, notes: [] })
  await store.sql.close()
  await (await store.start()).close()
})

const interruptAt = (at: string, step: string): void => {
  if (step === at) throw new Error('interrupted')
}

describe('a schema with additions', () => {
  it('of an index is noted by verify and at start, without other effects', async () => {
    await store.sql.execute('CREATE INDEX more ON runs (note)')
    const note = 'in the schema, index runs.more was added, which does not affect any response'
    expect(await verifyStore(store)).toMatchObject({ finding: null, notes: [note] })
    await store.sql.close()
    const logged: string[] = []
    const service = await store.start({ log: (message) => void logged.push(message) })
    expect(logged).toContain(note)
    await service.close()
  })

  it('of tables that the service does not use, with triggers on them, is valid', async () => {
    await store.sql.execute("CREATE TABLE notes_of_mine (run_id text PRIMARY KEY, note text CHECK (note <> ''))")
    await store.sql.execute(
      onPostgres
        ? `${ACTING} CREATE TRIGGER mine AFTER INSERT ON notes_of_mine FOR EACH ROW EXECUTE FUNCTION plant()`
        : 'CREATE TRIGGER mine AFTER INSERT ON notes_of_mine BEGIN SELECT 1; END',
    )
    expect(await verifyStore(store)).toMatchObject({ finding: null, notes: [] })
    await store.sql.close()
    await (await store.start()).close()
  })

  // On SQLite these are in a separate file.
  if (onPostgres)
    it('or omissions in tables of the shared cache is noted, since they are a cache', async () => {
      await store.sql.execute('DROP INDEX cache_entries_by_size')
      expect(await verifyStore(store)).toMatchObject({
        finding: null,
        notes: [
          'in the schema, index cache_entries.cache_entries_by_size is missing, which does not affect any response',
        ],
      })
      await (await store.start()).close()
    })
})
