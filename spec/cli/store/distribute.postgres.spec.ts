import { spawnSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrationsOf } from '../../../storage/disk/migrations.ts'
import { migrateDatabase } from '../../../storage/postgres/migrate.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import type { FreshDatabase } from '../../support/postgres/databases.ts'
import { PROGRAM } from '../../support/servers/program.ts'
import { onDatabase, queryArrays } from '../../support/stores/database.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'

// The extension is a stand-in of the same name: its functions record their calls. No cluster runs here.

let database: FreshDatabase
beforeEach(async () => void (database = await freshDatabase({ template: false })))
afterEach(() => database.close())

/** Registers an extension `citus` with the functions and the table of it that the service uses. */
const installStandIn = (): Promise<unknown> =>
  onDatabase(database.superUrl, (client) =>
    client.query(`
      SET allow_system_table_mods = on;
      INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
        VALUES (99999, 'citus', 10, 'public'::regnamespace, false, '12.1');
      CREATE TABLE calls (n int GENERATED ALWAYS AS IDENTITY, call text);
      CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char");
      CREATE FUNCTION create_distributed_function(regprocedure) RETURNS void LANGUAGE sql
        AS $$ INSERT INTO calls (call) VALUES ('function ' || $1) $$;
      CREATE FUNCTION create_distributed_table(name regclass, key text, colocate_with text, shard_count int DEFAULT NULL) RETURNS void LANGUAGE sql
        AS $$ INSERT INTO pg_dist_partition VALUES (name, 'h');
          INSERT INTO calls (call) VALUES (concat_ws(' ', 'table', name, key, colocate_with, shard_count)) $$;
      CREATE FUNCTION truncate_local_data_after_distributing_table(regclass) RETURNS void LANGUAGE sql
        AS $$ INSERT INTO calls (call) VALUES ('truncate ' || $1) $$;
      CREATE FUNCTION undistribute_table(regclass) RETURNS void LANGUAGE sql
        AS $$ DELETE FROM pg_dist_partition WHERE logicalrelid = $1; INSERT INTO calls (call) VALUES ('local ' || $1) $$;
      GRANT ALL ON calls, pg_dist_partition TO ers_owner`),
  )

const migrate = (observe: (text: string) => void = () => {}) =>
  migrateDatabase(database.ownerUrl, { now: () => 0, observe })

const calls = async (): Promise<unknown[]> =>
  (await queryArrays(database.superUrl, 'SELECT call FROM calls ORDER BY n')).map(([call]) => call)

const distribute = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'distribute', ...args], {
    encoding: 'utf8',
    env: { ...bareEnvironment(), SERVICE_DATABASE_URL: database.ownerUrl },
  })
  return {
    status,
    stdout: stdout.replaceAll(database.ownerUrl, 'URL'),
    stderr: stderr.replaceAll(database.ownerUrl, 'URL'),
  }
}

const EVERY = [
  'function part_of_frame(bytea,integer)',
  'table document_frames run_no none 8',
  'truncate document_frames',
  'table cases run_no document_frames',
  'truncate cases',
  'table matrices run_no document_frames',
  'truncate matrices',
  'table matrix_rows run_no document_frames',
  'truncate matrix_rows',
  'table run_configs run_no document_frames',
  'truncate run_configs',
]

describe('ers distribute', () => {
  it('distributes the tables of documents and cases by run, once', async () => {
    await migrate()
    await installStandIn()
    expect(distribute('--shards', '8')).toEqual({ status: 0, stdout: 'URL: distributed now\n', stderr: '' })
    expect(await calls()).toEqual(EVERY)
    expect(distribute('--shards', '8')).toEqual({ status: 0, stdout: 'URL: nothing to do\n', stderr: '' })
    expect(await calls()).toEqual(EVERY)
  })

  it('continues after an interruption', async () => {
    await migrate()
    await installStandIn()
    await queryArrays(
      database.superUrl,
      "INSERT INTO pg_dist_partition VALUES ('document_frames', 'h'), ('cases', 'h')",
    )
    expect(distribute()).toMatchObject({ status: 0 })
    expect(await calls()).toEqual([EVERY[0], ...EVERY.slice(5)])
  })

  it('removes what an interruption left on the coordinator, where an erasure does not reach it', async () => {
    await migrate()
    await installStandIn()
    distribute('--shards', '8')
    await queryArrays(database.superUrl, "INSERT INTO run_configs (run_no, raw_length, bytes) VALUES (1, 2, '\\x7b7d')")
    expect(distribute('--shards', '8')).toMatchObject({ status: 0, stdout: 'URL: distributed now\n' })
    expect(await calls()).toEqual([...EVERY, 'truncate run_configs'])
  })

  it('only prints the statements of a dry run', async () => {
    await migrate()
    await installStandIn()
    const { status, stdout } = distribute('--dry-run')
    expect(status).toBe(0)
    expect(stdout.split('\n')).toEqual([
      "SELECT create_distributed_function('part_of_frame(bytea, integer)');",
      "SELECT create_distributed_table('document_frames', 'run_no', colocate_with => 'none', shard_count => 32);",
      "SELECT truncate_local_data_after_distributing_table('document_frames');",
      ...['cases', 'matrices', 'matrix_rows', 'run_configs'].flatMap((table) => [
        `SELECT create_distributed_table('${table}', 'run_no', colocate_with => 'document_frames');`,
        `SELECT truncate_local_data_after_distributing_table('${table}');`,
      ]),
      '',
    ])
    expect(await calls()).toEqual([])
  })

  it('makes them local again', async () => {
    await migrate()
    await installStandIn()
    distribute()
    const before = (await calls()).length
    expect(distribute('--undo')).toEqual({ status: 0, stdout: 'URL: local now\n', stderr: '' })
    expect((await calls()).slice(before)).toEqual([
      'local document_frames',
      'local cases',
      'local matrices',
      'local matrix_rows',
      'local run_configs',
    ])
    expect(distribute('--undo')).toMatchObject({ status: 0, stdout: 'URL: nothing to do\n' })
  })

  it('rejects a database without the extension, and a wrong number', async () => {
    await migrate()
    expect(distribute()).toEqual({
      status: 2,
      stdout: '',
      stderr: 'URL has no extension citus: a superuser creates it with CREATE EXTENSION citus\n',
    })
    for (const shards of ['0', '64001', '1.5', 'many'])
      expect(distribute('--shards', shards)).toEqual({
        status: 2,
        stdout: '',
        stderr: '--shards must be a whole number from 1 to 64000\n',
      })
  })
})

describe('migrating on a cluster', () => {
  const forbids = (texts: readonly string[]) =>
    texts.filter((text) => text === 'SET LOCAL citus.enable_ddl_propagation = off').length

  it('keeps every migration from the workers', async () => {
    await installStandIn()
    const texts: string[] = []
    await migrate((text) => texts.push(text))
    expect(forbids(texts)).toBe(migrationsOf('service', 'postgres').length + migrationsOf('cache', 'postgres').length)
  })

  it('sets nothing where the extension is missing', async () => {
    const texts: string[] = []
    await migrate((text) => texts.push(text))
    expect(forbids(texts)).toBe(0)
  })

  it('rejects a migration of a distributed table, and changes nothing', async () => {
    await installStandIn()
    let transactions = 0
    const first = migrationsOf('service', 'postgres').findIndex(({ text }) => /ALTER TABLE cases\b/.test(text))
    await expect(
      migrate((text) => {
        if (text.startsWith('BEGIN') && transactions++ === first) throw new Error('enough')
      }),
    ).rejects.toThrow('enough')
    await queryArrays(database.superUrl, "INSERT INTO pg_dist_partition VALUES ('cases', 'h')")
    await expect(migrate()).rejects.toThrow(
      `migration ${first + 1} changes cases, which is distributed: run "ers distribute --undo", migrate, then run "ers distribute"`,
    )
    expect(await queryArrays(database.superUrl, 'SELECT count(*) FROM migrations')).toEqual([[String(first)]])
    await queryArrays(database.superUrl, 'DELETE FROM pg_dist_partition')
    expect(await migrate()).toBe(migrationsOf('service', 'postgres').length)
  })
})
