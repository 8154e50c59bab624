import { spawnSync } from 'node:child_process'
import { afterAll, describe, expect, it } from 'vitest'
import { compareDatabase } from '../../../maintenance/verify/read-tables-postgres.ts'
import { verifyDatabase } from '../../../maintenance/verify/log.ts'
import { readTables } from '../../../projections/index.ts'
import { CLI, SYSTEM } from '../../../queries/access/viewer.ts'
import { inTransaction, withSession } from '../../../storage/postgres/session.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { onDatabase, queryArrays, openServiceOn, tablesOf } from '../../support/stores/database.ts'
import { aDocument, theExample } from '../../support/documents/documents.ts'
import { freshDatabase, serverUrl } from '../../support/stores/fresh-database.ts'
import { PROGRAM } from '../../support/servers/program.ts'
import { steppingClock } from '../../support/stores/store.ts'

afterAll(() => database.close())

/** Compares after a change, and rolls the change back. */
const comparedAfter = (change: string): Promise<string | null> =>
  withSession(database.superUrl, (session) =>
    inTransaction(session, 'BEGIN', async () => {
      // Each call of `control` takes only one command.
      for (const each of change.split('; ')) await session.control(each)
      const found = await compareDatabase(session)
      await session.control('ROLLBACK')
      await session.control('BEGIN')
      return found
    }),
  )

const verified = (args: readonly string[] = [], url = database.appUrl) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'verify', ...args], {
    encoding: 'utf8',
    env: { ...bareEnvironment(), SERVICE_DATABASE_URL: url },
  })
  return { status, stdout, stderr }
}
const database = await freshDatabase()
const service = await openServiceOn(database.appUrl, { now: steppingClock() })
for (const document of [aDocument({ run_id: 'a' }), theExample(), aDocument({ run_id: 'gone' })])
  await service.commit.ingestRun(CLI, { body: new TextEncoder().encode(JSON.stringify(document)), encoding: null })
await service.commit.deleteRun(CLI, { run_id: 'gone' })
await service.commit.pinBaseline(CLI, { project: 'chat', suite: 'smoke', run_id: 'a' })
await service.commit.createUser(SYSTEM, { user_id: 'ada', username: 'Ada', password_hash: 'x', role: 'admin' })
await service.commit.restrictSet(SYSTEM, { project: 'chat', suite: null })
await service.close()

describe('compareDatabase', () => {
  it('finds no difference, only needs rights to read, and leaves nothing behind', async () => {
    const before = await tablesOf(database.superUrl)
    expect(
      await withSession(database.appUrl, (session) => inTransaction(session, 'BEGIN', () => compareDatabase(session))),
    ).toBeNull()
    expect(await tablesOf(database.superUrl)).toEqual(before)
    expect(
      await queryArrays(
        database.superUrl,
        "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname LIKE 'pg_temp%' OR nspname LIKE 'ers_%'",
      ),
    ).toEqual([['0']])
  })

  it.each([
    [
      "UPDATE runs SET note = 'wrong' WHERE id = 'a'",
      `1 of ${readTables.length} read tables differ from the log. runs: the row of run_no 1 (run a) differs in note`,
    ],
    ["DELETE FROM runs WHERE id = 'a'", 'runs: the row of run_no 1 (run a) is missing'],
    ['UPDATE runs SET tags = \'["x"]\'', 'differs in tags'],
    [
      'DELETE FROM cases WHERE run_no = 2 AND n = 3',
      'cases: the row of run_no 2, n 3 (run 01K2ZQ7C8V4T9E6M3B5N1R0WXA) is missing',
    ],
    ['UPDATE cases SET score = score + 0.000001 WHERE run_no = 2 AND n = 1', 'differs in score'],
    ["UPDATE search SET words = 'other'", 'search: the row of rowid'],
    [
      'INSERT INTO run_search SELECT (json_populate_record(r, \'{"rowid": 99}\')).* FROM run_search r LIMIT 1',
      'run_search: the row of rowid 99 should not be there',
    ],
    [
      "INSERT INTO sets SELECT 'x', project, suite, run_count, 0, 0, 0, 0, 0 FROM sets LIMIT 1",
      'sets: the row of set_key "x" should not be there',
    ],
    [
      "UPDATE users SET role = 'member'; DELETE FROM baselines",
      `2 of ${readTables.length} read tables differ from the log. baselines: the row of project "chat", suite "smoke" is missing. Other tables that differ: users`,
    ],
    [
      "UPDATE projections SET version = 0 WHERE name = 'sets'",
      'the read tables of sets were not written by this version',
    ],
  ])('reports %s', async (change, message) => expect(await comparedAfter(change)).toContain(message))
})

describe('ers verify on a database', () => {
  it('prints size and root, and that the read tables match the replay', async () => {
    const { size, root } = await verifyDatabase(database.appUrl, null)
    expect(verified()).toEqual({
      status: 0,
      stdout: `ok: ${size} records, 2 documents, head ${size}:${root}\n`,
      stderr: '',
    })
    expect(verified(['--deep'])).toMatchObject({
      status: 0,
      stdout: `ok: ${size} records, 2 documents, read tables as replayed, head ${size}:${root}\n`,
    })
    expect(verified(['--against', `${size}:${root}`])).toMatchObject({ status: 0 })
    expect(verified(['--against', `${size}:${'0'.repeat(64)}`])).toMatchObject({
      status: 11,
      stderr: expect.stringContaining('another history') as string,
    })
    expect(verified(['--against', `${size + 1}:${root}`])).toMatchObject({ status: 11 })
  })

  it('reports changes by exit code', async () => {
    const damaged = async (change: string): Promise<{ status: number | null; stderr: string }> => {
      const copy = `${database.name}_copy`
      await onDatabase(serverUrl(), (client) => client.query(`CREATE DATABASE ${copy} TEMPLATE ${database.name}`))
      try {
        await onDatabase(serverUrl(copy), (client) => client.query(change))
        const { status, stderr } = verified(['--deep'], serverUrl(copy))
        return { status, stderr }
      } finally {
        await onDatabase(serverUrl(), (client) => client.query(`DROP DATABASE ${copy} WITH (FORCE)`))
      }
    }
    const off = (table: string, change: string): string => `ALTER TABLE ${table} DISABLE TRIGGER ALL; ${change}`
    expect(
      await damaged(off('event_bodies', "UPDATE event_bodies SET body = replace(body, 'chat', 'chit') WHERE seq = 1")),
    ).toMatchObject({ status: 10 })
    expect(await damaged(off('events', 'DELETE FROM events WHERE seq = 2'))).toMatchObject({
      status: 12,
      stderr: expect.stringContaining('record 2 is missing') as string,
    })
    expect(await damaged('DELETE FROM document_frames WHERE run_no = 1')).toMatchObject({ status: 12 })
    expect(await damaged("UPDATE runs SET note = 'wrong'")).toMatchObject({
      status: 13,
      stderr: expect.stringContaining('differs in note') as string,
    })
  })
})
