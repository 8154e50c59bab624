import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { projections } from '../../../projections/index.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { onDatabase, queryArrays, tablesOf } from '../../support/stores/database.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'
import type { FreshDatabase } from '../../support/postgres/databases.ts'
import { PROGRAM } from '../../support/servers/program.ts'

let database: FreshDatabase
let folder: string
beforeEach(async () => {
  database = await freshDatabase()
  folder = mkdtempSync(join(tmpdir(), 'ers-documents-'))
})
afterEach(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

const ers = (url: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
    env: { ...bareEnvironment(), SERVICE_DATABASE_URL: url },
  })
  return { status, stdout, stderr }
}

it('imports a large document, which it sends as a copy, and finds it the next time', () => {
  const config_snapshot = { words: 'a word '.repeat(3_000_000) }
  writeFileSync(join(folder, 'large.json'), JSON.stringify(aDocument({ run_id: 'large', config_snapshot })))
  const imported = () => ers(database.appUrl, 'import', folder, '--database-url', database.appUrl).stdout
  expect(imported()).toMatch(/^imported 1, already there 0, refused 0, failed 0 /)
  expect(imported()).toMatch(/^imported 0, already there 1, refused 0, failed 0 /)
})

it('imports and audits as the role of the service, and rebuilds only as the owner of the tables', async () => {
  for (const run_id of ['a', 'b']) writeFileSync(join(folder, `${run_id}.json`), JSON.stringify(aDocument({ run_id })))
  const imported = ers(database.appUrl, 'import', folder, '--database-url', database.appUrl)
  expect(imported).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^imported 2, already there 0, refused 0, failed 0 /) as string,
  })
  expect(ers(database.appUrl, 'import', folder, '--database-url', database.appUrl).stdout).toMatch(
    /^imported 0, already there 2/,
  )

  const audit = ers(database.appUrl, 'audit', '--type', 'RunIngested')
  expect(audit.status).toBe(0)
  expect(audit.stdout.match(/\trun\/[ab]\tcli\t/g)).toHaveLength(2)

  const before = await tablesOf(database.ownerUrl)
  await onDatabase(database.ownerUrl, (client) => client.query("DELETE FROM cases; UPDATE runs SET note = 'wrong'"))
  expect(ers(database.appUrl, 'rebuild')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('let that role run "ers rebuild"') as string,
  })
  expect(ers(database.ownerUrl, 'rebuild')).toMatchObject({
    status: 0,
    stdout: `rebuilt ${projections.map(({ name }) => name).join(', ')} from 2 records\n`,
  })
  expect(await tablesOf(database.ownerUrl)).toEqual(before)
  expect(await queryArrays(database.ownerUrl, "SELECT count(*) FROM events WHERE type = 'ProjectionRebuilt'")).toEqual([
    [String(projections.length)],
  ])
})
