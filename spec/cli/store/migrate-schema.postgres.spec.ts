import { spawnSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CLI, SYSTEM } from '../../../queries/access/viewer.ts'
import { migrationsOf } from '../../../storage/disk/migrations.ts'
import { migrateDatabase, migratePostgres } from '../../../storage/postgres/migrate.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { onDatabase, queryArrays, openServiceOn, schemaOf } from '../../support/stores/database.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'
import type { FreshDatabase } from '../../support/postgres/databases.ts'
import { PROGRAM } from '../../support/servers/program.ts'

const COUNT = migrationsOf('service', 'postgres').length

let database: FreshDatabase
beforeEach(async () => void (database = await freshDatabase({ template: false })))
afterEach(() => database.close())

const ers = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
    env: { ...bareEnvironment(), ...env },
  })
  return { status, stdout, stderr }
}

const migrate = (observe: (text: string) => void = () => {}) =>
  migratePostgres(database.ownerUrl, { store: 'service', now: () => 0, observe })

/** Applies only the first `count` migrations. */
const older = async (count: number): Promise<void> => {
  let transactions = 0
  const observe = (text: string): void => {
    if (text.startsWith('BEGIN') && transactions++ === count) throw new Error('enough')
  }
  await expect(migrate(observe)).rejects.toThrow('enough')
  expect(await queryArrays(database.ownerUrl, 'SELECT count(*) FROM migrations')).toEqual([[String(count)]])
}

describe('migrating a schema', () => {
  it.each([
    ['an empty database', 0],
    ['an older schema', 3],
  ] as const)('is done once by ten concurrent calls on %s', async (_, count) => {
    if (count > 0) await older(count)
    expect(await Promise.all(Array.from({ length: 10 }, () => migrate()))).toEqual(
      Array.from({ length: 10 }, () => COUNT),
    )
    expect(await queryArrays(database.ownerUrl, 'SELECT count(*), max(number) FROM migrations')).toEqual([
      [String(COUNT), String(COUNT)],
    ])
  })

  it('finishes after an interruption before any statement, with the same schema', async () => {
    const whole = await freshDatabase({ template: false })
    let statements = 0
    await migratePostgres(whole.ownerUrl, { store: 'service', now: () => 0, observe: () => void statements++ })
    const shape = await schemaOf(whole.superUrl)
    await whole.close()
    // Each attempt gets one statement further.
    let broken = 0
    for (let n = 0; n < statements; n++) {
      let at = 0
      const observe = (): void => {
        if (at++ === n) throw new Error('interrupted')
      }
      if (
        (await migrate(observe).then(
          () => 'done',
          (error: Error) => error.message,
        )) === 'done'
      )
        break
      broken++
    }
    // Every statement of a migration was interrupted, and later ones too.
    expect(broken).toBeGreaterThan(2 * Math.ceil(statements / COUNT))
    expect(await migrate()).toBe(COUNT)
    expect(await schemaOf(database.superUrl)).toEqual(shape)
  })

  it('finishes after interruptions at each statement of an empty database', async () => {
    for (const text of [
      'BEGIN',
      'SELECT pg_advisory_xact_lock',
      'CREATE TABLE IF NOT EXISTS migrations',
      "SELECT set_config('search_path'",
      '-- The log',
      'INSERT INTO migrations',
      'COMMIT',
    ]) {
      const observe = (statement: string): void => {
        if (statement.startsWith(text)) throw new Error('interrupted')
      }
      await expect(migrate(observe)).rejects.toThrow('interrupted')
      expect(await queryArrays(database.ownerUrl, "SELECT to_regclass('events')")).toEqual([[null]])
    }
    expect(await migrate()).toBe(COUNT)
  })

  it('rejects a role that does not own the tables, if there is work to do', async () => {
    await older(3)
    await onDatabase(database.ownerUrl, (client) => client.query('GRANT SELECT ON migrations TO ers_app'))
    await expect(migratePostgres(database.appUrl, { store: 'service', now: () => 0 })).rejects.toThrow(
      'let that role run "ers migrate-schema"',
    )
  })
})

describe('migrating a whole database', () => {
  const CACHE = migrationsOf('cache', 'postgres').length

  it('also creates the cache tables and their record, once for ten concurrent calls', async () => {
    expect(
      await Promise.all(Array.from({ length: 10 }, () => migrateDatabase(database.ownerUrl, { now: () => 0 }))),
    ).toEqual(Array.from({ length: 10 }, () => COUNT))
    expect(
      await queryArrays(
        database.ownerUrl,
        'SELECT (SELECT count(*) FROM migrations), (SELECT count(*) FROM cache_migrations), (SELECT count(*) FROM cache_totals)',
      ),
    ).toEqual([[String(COUNT), String(CACHE), '7']])
  })

  it('finishes after an interruption before any statement of the cache', async () => {
    await migrate()
    let broken = 0
    for (let n = 0; ; n++) {
      let at = 0
      const observe = (): void => {
        if (at++ === n) throw new Error('interrupted')
      }
      if (
        (await migratePostgres(database.ownerUrl, { store: 'cache', now: () => 0, observe }).catch(() => null)) !== null
      )
        break
      broken++
    }
    expect(broken).toBeGreaterThan(CACHE)
    expect(await queryArrays(database.ownerUrl, 'SELECT count(*) FROM cache_migrations')).toEqual([[String(CACHE)]])
  })

  it('rejects a role that owns no tables, if those of the cache are missing', async () => {
    await migrate()
    await onDatabase(database.superUrl, (client) =>
      client.query('GRANT CREATE ON SCHEMA public TO ers_app; GRANT SELECT ON migrations TO ers_app'),
    )
    await expect(migrateDatabase(database.appUrl, { now: () => 0 })).rejects.toThrow(
      'let that role run "ers migrate-schema"',
    )
  })
})

describe('ers migrate-schema', () => {
  it('creates the tables, and grants the serving role only what it needs', async () => {
    // The default privileges of the specs would hide missing grants.
    await onDatabase(database.superUrl, (client) =>
      client.query(
        'ALTER DEFAULT PRIVILEGES FOR ROLE ers_owner REVOKE ALL ON TABLES FROM ers_app; REVOKE ALL ON SCHEMA public FROM ers_app',
      ),
    )
    expect(ers(['migrate-schema', '--app-role', 'ers_app'], { SERVICE_DATABASE_URL: database.ownerUrl })).toEqual({
      status: 0,
      stdout: `${database.ownerUrl} is at schema ${COUNT}, ready for the role ers_app\n`,
      stderr: '',
    })
    const service = await openServiceOn(database.appUrl)
    try {
      const body = (run_id: string) => ({
        body: new TextEncoder().encode(JSON.stringify(aDocument({ run_id }))),
        encoding: null,
      })
      await service.commit.ingestRun(CLI, body('a'))
      await service.commit.pinBaseline(CLI, { project: 'chat', suite: 'smoke', run_id: 'a' })
      await service.commit.createUser(SYSTEM, {
        user_id: 'ada',
        username: 'Ada',
        password_hash: 'x',
        role: 'member',
      })
      await service.commit.deleteUser(SYSTEM, { user_id: 'ada' })
      await service.commit.deleteRun(CLI, { run_id: 'a' })
    } finally {
      await service.close()
    }
    const refused = async (text: string): Promise<string> =>
      onDatabase(database.appUrl, (client) =>
        client.query(text).then(
          () => 'done',
          (error: Error) => error.message,
        ),
      )
    for (const text of [
      "UPDATE events SET type = 'x'",
      'DELETE FROM events',
      'TRUNCATE events',
      'UPDATE event_bodies SET version = 9',
      'TRUNCATE event_bodies',
      "UPDATE migrations SET name = 'x'",
      "UPDATE cache_migrations SET name = 'x'",
      'TRUNCATE runs',
      'TRUNCATE cache_entries',
      'DROP TABLE runs',
      'ALTER TABLE events DISABLE TRIGGER ALL',
      'CREATE TABLE other (n int)',
    ])
      expect(`${text}: ${await refused(text)}`).toMatch(/permission denied|must be owner/)
    expect(await refused('DELETE FROM event_bodies')).toContain('only where an EventErased event names them')
  })

  it('rejects a missing role, and one that owns the tables', () => {
    expect(ers(['migrate-schema', '--database-url', database.ownerUrl, '--app-role', 'nobody_here'])).toMatchObject({
      status: 2,
      stderr: 'there is no role nobody_here\n',
    })
    expect(ers(['migrate-schema', '--database-url', database.ownerUrl, '--app-role', 'ers_owner'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('the service needs a role without them') as string,
    })
  })

  it('names the variable or option of a failed connection, never a password', () => {
    const secret = 'hush-hush'
    const url = `postgresql://someone:${secret}@127.0.0.1:1/nowhere`
    for (const [args, env] of [
      [[], { SERVICE_DATABASE_URL: url }],
      [['--database-url', url], {}],
    ] as const) {
      const { status, stdout, stderr } = ers(['migrate-schema', ...args], env)
      expect(status).toBe(2)
      expect(stderr).toContain(
        `${args.length > 0 ? '--database-url' : 'SERVICE_DATABASE_URL'} (postgresql://someone@127.0.0.1:1/nowhere): `,
      )
      expect(stderr).toContain('ECONNREFUSED')
      expect(stdout + stderr).not.toContain(secret)
    }
    expect(ers(['migrate-schema'], { SERVICE_DATABASE_URL: `mysql://u:${secret}@h/d` })).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^SERVICE_DATABASE_URL must be a URL/) as string,
    })
    expect(ers(['migrate-schema'])).toMatchObject({
      status: 2,
      stderr: 'name the database: --database-url, or SERVICE_DATABASE_URL\n',
    })
    const missing = ers(['verify', '--database-url', database.ownerUrl.replace(database.name, `${database.name}_gone`)])
    expect(missing).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('does not exist') as string,
    })
  })
})
