import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { freshDatabase, serverUrl } from '../stores/fresh-database.ts'
import { everyPrograms, findPrograms } from './programs.ts'
import { startPostgres } from './server.ts'

const asking = async (url: string, text: string): Promise<unknown[]> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows.flatMap((row) => Object.values(row))
  } finally {
    await client.end()
  }
}

/** Resolves when a folder is no longer there: another process removes it, which reports nothing. */
const gone = (folder: string) => expect.poll(() => existsSync(folder)).toBe(false)

describe('the programs', () => {
  it('are of the version that is asked for', () => {
    for (const { major } of everyPrograms()) expect(findPrograms(String(major)).major).toBe(major)
  })
  it('that are not there are told with those that are', () =>
    expect(() => findPrograms('9')).toThrow(/no PostgreSQL 9 was found \(there is .*\d in /))
})

describe.each(
  everyPrograms().map((programs) => ({
    name: `${programs.major}${programs.carried ? ', as npm carries it' : ''}`,
    programs,
  })),
)('a server of version $name', ({ programs }) => {
  it('keeps what it took through a crash, and leaves nothing when it is stopped', async () => {
    const server = await startPostgres({ programs })
    try {
      expect(await asking(server.url(), "SELECT current_setting('server_version_num')::int / 10000")).toEqual([
        programs.major,
      ])
      await asking(server.url(), 'CREATE TABLE kept AS SELECT 7 AS a')
      await server.halt('immediate')
      await expect(asking(server.url(), 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/)
      await server.resume()
      expect(await asking(server.url(), 'SELECT a FROM kept')).toEqual([7])
    } finally {
      await server.stop()
    }
    expect(existsSync(server.socketDir)).toBe(false)
  })

  it('syncs when it is to be durable', async () => {
    const server = await startPostgres({ programs, durable: true })
    try {
      expect(
        await asking(
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
  it('ends with the process that started it, even one that is killed', async () => {
    const program = `
      const { startPostgres } = await import(${JSON.stringify(new URL('postgres-server.ts', import.meta.url).href)})
      const server = await startPostgres()
      console.log(JSON.stringify([server.socketDir, server.url()]))
      setInterval(() => {}, 60_000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    const [folder, url] = JSON.parse(line) as [string, string]
    expect(await asking(url, 'SELECT 1 AS one')).toEqual([1])
    child.kill('SIGKILL')
    await gone(folder)
    await expect(asking(url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/)
  })

  it('tells why it did not start', () =>
    expect(startPostgres({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
      /did not start:[^]*shared_buffers/,
    ))
})

describe('a fresh database', () => {
  it('is of this run, and nobody else is in it', async () => {
    const one = await freshDatabase()
    const two = await freshDatabase()
    await asking(one.ownerUrl, 'CREATE TABLE mine (a int)')
    expect(await asking(two.ownerUrl, "SELECT to_regclass('mine')")).toEqual([null])
    expect(await asking(serverUrl(), "SELECT current_setting('port')::int")).toEqual([inject('postgres').port])
    await Promise.all([one.close(), two.close()])
    expect(
      await asking(serverUrl(), `SELECT 1 FROM pg_database WHERE datname IN ('${one.name}', '${two.name}')`),
    ).toEqual([])
  })

  it('goes while somebody is connected', async () => {
    const database = await freshDatabase()
    const client = new pg.Client(database.appUrl)
    const told: unknown[] = []
    client.on('error', (error) => told.push(error))
    await client.connect()
    const ended = new Promise((resolve) => client.once('end', () => resolve(null)))
    await database.close()
    await ended
    expect(told[0]).toMatchObject({ code: '57P01' })
  })

  it.each([
    [false, ['A', 'B', 'a', 'b']],
    [true, ['a', 'A', 'b', 'B']],
  ])('sorts by byte, or by language when it is asked to (icu: %s)', async (icu, sorted) => {
    const database = await freshDatabase({ icu })
    expect(
      await asking(database.appUrl, "SELECT x FROM (VALUES ('b'), ('A'), ('a'), ('B')) AS v(x) ORDER BY x"),
    ).toEqual(sorted)
    await database.close()
  })

  it.each([true, false])(
    'lets the role that serves work on rows, and on nothing else (template: %s)',
    async (template) => {
      const { ownerUrl, appUrl, close } = await freshDatabase({ template })
      await asking(ownerUrl, 'CREATE TABLE rows (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, a int)')
      expect(await asking(appUrl, 'INSERT INTO rows (a) VALUES (5) RETURNING a')).toEqual([5])
      for (const text of [
        'CREATE TABLE theirs (a int)',
        'ALTER TABLE rows DISABLE TRIGGER ALL',
        'TRUNCATE rows',
        'DROP TABLE rows',
      ])
        await expect(asking(appUrl, text)).rejects.toThrow(/permission denied|must be owner/)
      await close()
    },
  )
})
