import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { freshDatabase, serverUrl } from '../stores/fresh-database.ts'
import { installedPrograms, findPrograms } from './programs.ts'
import { startPostgres } from './server.ts'

const valuesOf = async (url: string, text: string): Promise<unknown[]> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows.flatMap((row) => Object.values(row))
  } finally {
    await client.end()
  }
}

/** Resolves when a folder no longer exists: another process deletes it, which sends no event. */
const whenDeleted = (folder: string) => expect.poll(() => existsSync(folder)).toBe(false)

describe('the PostgreSQL programs', () => {
  it('have the requested version', () => {
    for (const { major } of installedPrograms()) expect(findPrograms(String(major)).major).toBe(major)
  })
  it('are reported as missing with a list of the installed versions', () =>
    expect(() => findPrograms('9')).toThrow(/no PostgreSQL 9 was found \(there is .*\d in /))
})

describe.each(
  installedPrograms().map((programs) => ({
    name: `${programs.major}${programs.isBundled ? ' from npm' : ''}`,
    programs,
  })),
)('a server of version $name', ({ programs }) => {
  it('keeps committed data through a crash, and leaves nothing when stopped', async () => {
    const server = await startPostgres({ programs })
    try {
      expect(await valuesOf(server.url(), "SELECT current_setting('server_version_num')::int / 10000")).toEqual([
        programs.major,
      ])
      await valuesOf(server.url(), 'CREATE TABLE kept AS SELECT 7 AS a')
      await server.halt('immediate')
      await expect(valuesOf(server.url(), 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/)
      await server.resume()
      expect(await valuesOf(server.url(), 'SELECT a FROM kept')).toEqual([7])
    } finally {
      await server.stop()
    }
    expect(existsSync(server.socketDir)).toBe(false)
  })

  it('syncs when it is durable', async () => {
    const server = await startPostgres({ programs, durable: true })
    try {
      expect(
        await valuesOf(
          server.url(),
          "SELECT current_setting('fsync') || current_setting('synchronous_commit') || current_setting('full_page_writes')",
        ),
      ).toEqual(['ononon'])
    } finally {
      await server.stop()
    }
  })
})

describe('a server', () => {
  it('ends with the process that started it, even if that process is killed', async () => {
    const program = `
      const { startPostgres } = await import(${JSON.stringify(new URL('server.ts', import.meta.url).href)})
      const server = await startPostgres()
      console.log(JSON.stringify([server.socketDir, server.url()]))
      setInterval(() => {}, 60_000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    const [folder, url] = JSON.parse(line) as [string, string]
    expect(await valuesOf(url, 'SELECT 1 AS one')).toEqual([1])
    child.kill('SIGKILL')
    await whenDeleted(folder)
    await expect(valuesOf(url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/)
  })

  it('reports why it did not start', () =>
    expect(startPostgres({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
      /did not start:[^]*shared_buffers/,
    ))
})

describe('a fresh database', () => {
  it('is on the server of this run, and isolated from other databases', async () => {
    const first = await freshDatabase()
    const second = await freshDatabase()
    await valuesOf(first.ownerUrl, 'CREATE TABLE mine (a int)')
    expect(await valuesOf(second.ownerUrl, "SELECT to_regclass('mine')")).toEqual([null])
    expect(await valuesOf(serverUrl(), "SELECT current_setting('port')::int")).toEqual([inject('postgres').port])
    await Promise.all([first.close(), second.close()])
    expect(
      await valuesOf(serverUrl(), `SELECT 1 FROM pg_database WHERE datname IN ('${first.name}', '${second.name}')`),
    ).toEqual([])
  })

  it('is dropped even while a client is connected', async () => {
    const database = await freshDatabase()
    const client = new pg.Client(database.appUrl)
    const errors: unknown[] = []
    client.on('error', (error) => errors.push(error))
    await client.connect()
    const ended = new Promise((resolve) => client.once('end', () => resolve(null)))
    await database.close()
    await ended
    expect(errors[0]).toMatchObject({ code: '57P01' })
  })

  it.each([
    [false, ['A', 'B', 'a', 'b']],
    [true, ['a', 'A', 'b', 'B']],
  ])('sorts by byte, or by language on request (icu: %s)', async (icu, sorted) => {
    const database = await freshDatabase({ icu })
    expect(
      await valuesOf(database.appUrl, "SELECT x FROM (VALUES ('b'), ('A'), ('a'), ('B')) AS v(x) ORDER BY x"),
    ).toEqual(sorted)
    await database.close()
  })

  it.each([true, false])('lets the serving role change rows and nothing else (template: %s)', async (template) => {
    const { ownerUrl, appUrl, close } = await freshDatabase({ template })
    await valuesOf(ownerUrl, 'CREATE TABLE rows (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, a int)')
    expect(await valuesOf(appUrl, 'INSERT INTO rows (a) VALUES (5) RETURNING a')).toEqual([5])
    for (const text of [
      'CREATE TABLE theirs (a int)',
      'ALTER TABLE rows DISABLE TRIGGER ALL',
      'TRUNCATE rows',
      'DROP TABLE rows',
    ])
      await expect(valuesOf(appUrl, text)).rejects.toThrow(/permission denied|must be owner/)
    await close()
  })
})
