import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { tlsFinding, versionFindingOf } from '../../../cli/doctor/database.ts'
import type { Finding } from '../../../cli/doctor/finding.ts'
import { OWNER } from '../../support/postgres/databases.ts'
import { isPoolerInstalled, startPooler } from '../../support/postgres/pooler.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { onDatabase } from '../../support/stores/database.ts'
import { freshDatabase, serverUrl } from '../../support/stores/fresh-database.ts'

const stops: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

const report = async (url: string, env: Readonly<Record<string, string>> = {}) => {
  const { code, stdout, stderr } = await runErs(['doctor', '--json'], { env: { SERVICE_DATABASE_URL: url, ...env } })
  expect(stderr).toBe('')
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Finding[] }
  const lines = checks.map(({ check, status, message }) => `${status} ${check}: ${message}`)
  return { code, checks, bad: lines.filter((line) => !line.startsWith('ok ')), lines }
}
const fresh = async (options?: Parameters<typeof freshDatabase>[0]) => {
  const database = await freshDatabase(options)
  stops.push(database.close)
  return database
}

describe('ers doctor on a database', () => {
  it('finds nothing wrong but what this database lacks: its server, for specs, does not wait for its disk', async () => {
    const { code, bad, lines } = await report((await fresh()).appUrl)
    expect(bad).toEqual([
      expect.stringContaining('error database settings: fsync is off'),
      expect.stringContaining('error database settings: full_page_writes is off'),
      expect.stringContaining('warning checkpoint key: checkpoints are not signed'),
      expect.stringContaining('warning public URL: '),
    ])
    expect(code).toBe(1)
    for (const line of [
      'ok encoding: UTF8',
      'ok database version: PostgreSQL',
      'ok pooler: there is none',
      'ok schema: ',
    ])
      expect(lines).toContainEqual(expect.stringContaining(line))
  })

  it('finds a database that cannot be reached, or is not there', async () => {
    const away = await report('postgresql://ers:secret@127.0.0.1:1/ers')
    expect(away).toMatchObject({
      code: 1,
      bad: expect.arrayContaining([expect.stringMatching(/^error database: /)]) as unknown,
    })
    expect(JSON.stringify(away.checks)).not.toContain('secret')
    const { bad } = await report(serverUrl('spec_no_such_database'))
    expect(bad).toContainEqual(expect.stringMatching(/^error database: .*does not exist/))
  })

  it('finds tables that are missing, and a role that is a superuser', async () => {
    const { superUrl } = await fresh({ template: false })
    const { code, bad } = await report(superUrl)
    expect(code).toBe(1)
    expect(bad).toContainEqual(expect.stringMatching(/^error schema: .*is not a store/))
    expect(bad).toContainEqual(expect.stringMatching(/^warning role: the role is a superuser/))
  })

  it('finds tables of a newer version', async () => {
    const { superUrl, appUrl } = await fresh()
    await onDatabase(superUrl, (client) =>
      client.query("INSERT INTO migrations (number, name, sha256, applied_at) VALUES (9999, '9999-later.sql', '', 0)"),
    )
    const { code, bad } = await report(appUrl)
    expect(code).toBe(1)
    expect(bad).toContainEqual(expect.stringMatching(/^error schema: .*9999-later\.sql.*a newer build wrote it/))
  })

  it('finds prepared statements that are off without a pooler, and a standby that is none', async () => {
    const { appUrl } = await fresh()
    const { bad } = await report(appUrl, {
      SERVICE_DATABASE_PREPARED_STATEMENTS: 'false',
      SERVICE_DATABASE_READ_URL: appUrl,
      SERVICE_DATABASE_POOL_SIZE: '5000',
    })
    expect(bad).toContainEqual(expect.stringMatching(/^warning pooler: there is none/))
    expect(bad).toContainEqual(expect.stringMatching(/^warning standby: .*is no standby/))
    expect(bad).toContainEqual(expect.stringMatching(/^warning database settings: max_connections is/))
  })

  it.runIf(isPoolerInstalled)('finds a pooler that loses prepared statements', async () => {
    const pooler = await startPooler((await fresh()).appUrl)
    stops.push(pooler.stop)
    const { code, bad } = await report(pooler.url)
    expect(code).toBe(1)
    expect(bad).toContainEqual(expect.stringMatching(/^error pooler: .*loses prepared statements/))
    const without = await report(pooler.url, { SERVICE_DATABASE_PREPARED_STATEMENTS: 'false' })
    expect(without.lines).toContainEqual(expect.stringMatching(/^ok pooler: there is one/))
  })

  describe('of another encoding', () => {
    const name = 'spec_doctor_latin1'
    afterAll(() => onDatabase(serverUrl(), (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)))

    it('is an error', async () => {
      await onDatabase(serverUrl(), (client) =>
        client.query(
          `CREATE DATABASE ${name} OWNER ${OWNER} ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`,
        ),
      )
      const { code, bad } = await report(serverUrl(name, OWNER))
      expect(code).toBe(1)
      expect(bad).toContainEqual(expect.stringMatching(/^error encoding: .*LATIN1/))
    })
  })

  it('judges a version, and the encryption on the way', () => {
    expect(versionFindingOf('15.4', 150_004).status).toBe('ok')
    expect(versionFindingOf('14.9', 140_009).status).toBe('error')
    expect(tlsFinding({ host: '/run/postgresql', sslmode: 'prefer' }, false).status).toBe('ok')
    expect(tlsFinding({ host: 'db.example', sslmode: 'prefer' }, false).message).toContain('not encrypted')
    expect(tlsFinding({ host: 'db.example', sslmode: 'require' }, true).status).toBe('warning')
    expect(tlsFinding({ host: 'db.example', sslmode: 'verify-full' }, true).status).toBe('ok')
  })
})
