import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { awaitDatabase } from '../../../cli/serve/await-database.ts'
import { WrongEncoding } from '../../../storage/postgres/encoding.ts'
import { migrateDatabase } from '../../../storage/postgres/migrate.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { onDatabase, queryArrays, openServiceOn } from '../../support/stores/database.ts'
import { serverUrl } from '../../support/stores/fresh-database.ts'
import { OWNER } from '../../support/postgres/databases.ts'
import { PROGRAM } from '../../support/servers/program.ts'

describe.each(['SQL_ASCII', 'LATIN1'])('a database with the encoding %s', (encoding) => {
  const name = `spec_encoding_${encoding.toLowerCase()}`
  const url = serverUrl(name, OWNER)
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ers-encoding-'))
    writeFileSync(join(folder, 'a.json'), JSON.stringify(aDocument({ run_id: 'a' })))
    await onDatabase(serverUrl(), (client) =>
      client.query(
        `CREATE DATABASE ${name} OWNER ${OWNER} ENCODING '${encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`,
      ),
    )
  })
  afterAll(async () => {
    await onDatabase(serverUrl(), (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`))
    rmSync(folder, { recursive: true, force: true })
  })

  const ers = (args: readonly string[], env: Readonly<Record<string, string>>) => {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
      encoding: 'utf8',
      env: { ...bareEnvironment(), ...env },
    })
    return { status, stderr }
  }
  const set = { SERVICE_DATABASE_URL: url }
  const refusal = (from: string) =>
    new RegExp(
      `${from}[ :].*encoding of the database is ${encoding}, and the service needs UTF8: create another one with CREATE DATABASE`,
    )

  it.each([
    ['serve', () => ['serve', '--port', '0', '--data-dir', folder], 1],
    ['migrate', () => ['migrate', '--data-dir', folder], 2],
    ['migrate-schema', () => ['migrate-schema'], 2],
    ['rebuild', () => ['rebuild'], 2],
  ] as const)(
    'is rejected by `ers %s`, which names the variable and remedy and creates nothing',
    async (command, args, code) => {
      // The migration needs something to copy.
      if (command === 'migrate')
        expect(ers(['import', join(folder, 'a.json'), '--data-dir', folder], {}).status).toBe(0)
      const { status, stderr } = ers(args(), set)
      expect(stderr).toMatch(refusal('SERVICE_DATABASE_URL'))
      expect(stderr).not.toContain('stack')
      expect(status).toBe(code)
      expect(
        await queryArrays(url, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
      ).toEqual([['0']])
    },
  )

  it('is rejected with an error that names the option which gave its URL', () =>
    expect(ers(['import', join(folder, 'a.json'), '--database-url', url], {})).toEqual({
      status: 2,
      stderr: expect.stringMatching(refusal('--database-url')) as string,
    }))

  it('is rejected at once, without the wait that an unreachable database gets', () =>
    expect(awaitDatabase({ url, patience: 60_000, onWait: () => expect.unreachable() })).rejects.toThrow(
      refusal('SERVICE_DATABASE_URL'),
    ))

  it('is rejected wherever it is opened for writing, even if a client asks for UTF8', async () => {
    await expect(migrateDatabase(url, { now: () => 0 })).rejects.toBeInstanceOf(WrongEncoding)
    await expect(openServiceOn(`${url}&options=-c%20client_encoding%3DUTF8`)).rejects.toBeInstanceOf(WrongEncoding)
  })
})
