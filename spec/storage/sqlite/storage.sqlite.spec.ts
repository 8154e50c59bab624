import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DiskFull, Unavailable } from '../../../storage/errors.ts'
import { event } from '../../../storage/log/event.ts'
import { any, insertRows, constant, mapped, maybeOne, one, sql, statement } from '../../../storage/sql.ts'
import { connect, type Connection } from '../../../storage/sqlite/connection.ts'
import { openSqliteWriter } from '../../../storage/sqlite/storage.ts'
import { openSqliteReader } from '../../../storage/sqlite/reader.ts'
import {
  commitAll,
  aCommand,
  freshFolder,
  migrate,
  onFile,
  openStore,
  steppingClock,
} from '../../support/stores/store.ts'

const Row = z.object({
  n: z.number(),
  flag: z.boolean().nullable(),
  data: z.json(),
  words: z.string().nullable(),
  bytes: z.instanceof(Buffer).nullable(),
})
const allRows = any(sql.type(Row)`SELECT n, flag, data, words, bytes FROM t ORDER BY n`)
const COLUMNS = ['n', 'flag', 'data', 'words', 'bytes']

describe('a connection', () => {
  let folder: ReturnType<typeof freshFolder>
  let connection: Connection
  beforeEach(() => {
    folder = freshFolder()
    connection = connect(folder.file, { readonly: false, checkRows: true })
    connection.database.exec(
      'CREATE TABLE t (n bigint PRIMARY KEY, flag boolean, data jsontext, words text, bytes blob)',
    )
  })
  afterEach(() => {
    connection.close()
    folder.remove()
  })

  const counted = (): unknown =>
    connection.read(one(sql.type(z.object({ n: z.number() }))`SELECT count(*) AS n FROM t`)).n

  it('syncs every commit to disk, and a REPLACE fires the triggers of DELETE', () => {
    const pragma = (name: string): unknown => connection.database.pragma(name, { simple: true })
    expect([pragma('journal_mode'), pragma('synchronous'), pragma('recursive_triggers')]).toEqual(['wal', 2, 1])
  })

  it('converts booleans, JSON and bytes, and nulls of each', () => {
    connection.run(
      statement`INSERT INTO t VALUES (1, ${true}, ${'{"a":[1,null]}'}, ${'x'}, ${sql.binary(Buffer.of(0, 255))})`,
    )
    connection.run(statement`INSERT INTO t VALUES (2, ${false}, ${'"text"'}, ${''}, ${sql.binary(Buffer.alloc(0))})`)
    connection.run(statement`INSERT INTO t VALUES (3, ${null}, ${'null'}, ${null}, ${null})`)
    connection.run(statement`INSERT INTO t VALUES (4, ${null}, ${null}, ${null}, ${null})`)
    expect(connection.read(allRows)).toEqual([
      { n: 1, flag: true, data: { a: [1, null] }, words: 'x', bytes: Buffer.of(0, 255) },
      { n: 2, flag: false, data: 'text', words: '', bytes: Buffer.alloc(0) },
      { n: 3, flag: null, data: null, words: null, bytes: null },
      { n: 4, flag: null, data: null, words: null, bytes: null },
    ])
  })

  it('plans a statement without its values, so that it keeps the plan for other values', () => {
    connection.database.exec("CREATE INDEX t_of_a ON t (n) WHERE words = 'a'")
    const Plan = z.object({ detail: z.string() })
    const plan = (words: string): string[] =>
      connection
        .read(any(sql.type(Plan)`EXPLAIN QUERY PLAN SELECT n FROM t WHERE words = ${words} ORDER BY n LIMIT ${1}`))
        .map(({ detail }) => detail)
    expect(plan('a')).toEqual(['SCAN t USING INDEX sqlite_autoindex_t_1'])
    expect(plan('b')).toEqual(plan('a'))
  })

  it('keeps NULs, any script, and text after a NUL', () => {
    const words = 'a\0b\0, ä\u{1f600}\0'
    connection.run(insertRows('t', ['n', 'words'], [[1, words]]))
    connection.run(statement`INSERT INTO t (n, words) VALUES (2, ${words})`)
    expect(connection.read(allRows).map((row) => row.words)).toEqual([words, words])
    const rows = connection.read(
      any(sql.type(z.object({ n: z.number() }))`SELECT n FROM t WHERE words = ${words} ORDER BY n`),
    )
    expect(rows).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('binds a bigint as an integer, and returns integers as numbers', () => {
    connection.run(insertRows('t', ['n'], [[2n ** 40n], [BigInt(Number.MAX_SAFE_INTEGER)]]))
    const Typed = z.object({ n: z.number(), type: z.string() })
    expect(
      connection.read(any(sql.type(Typed)`SELECT n, typeof(n) AS type FROM t WHERE n >= ${2n ** 40n} ORDER BY n`)),
    ).toEqual([
      { n: 2 ** 40, type: 'integer' },
      { n: Number.MAX_SAFE_INTEGER, type: 'integer' },
    ])
  })

  it.each([0, 1, 9, 10, 11, 20, 37])('writes %i rows at once, in order and complete', (count) => {
    function* rows() {
      for (let n = 0; n < count; n++) yield [n, n % 2 === 0, JSON.stringify([n]), `row ${n}`, Buffer.of(n)]
    }
    connection.run(insertRows('t', COLUMNS, rows()))
    expect(connection.read(allRows)).toEqual(
      Array.from({ length: count }, (_, n) => ({
        n,
        flag: n % 2 === 0,
        data: [n],
        words: `row ${n}`,
        bytes: Buffer.of(n),
      })),
    )
  })

  it('binds the values of an SQL text, and never inlines them', () => {
    const nasty = `'); DROP TABLE t; --$slonik_1`
    connection.run(statement`INSERT INTO t (n, words) VALUES (1, ${nasty})`)
    expect(connection.read(allRows)[0]?.words).toBe(nasty)
  })

  it('returns one row or null, and throws if there are more or fewer rows than allowed', () => {
    const row = sql.type(z.object({ n: z.number() }))
    connection.run(insertRows('t', ['n'], [[1], [2]]))
    expect(connection.read(maybeOne(row`SELECT n FROM t WHERE n = 3`))).toBeNull()
    expect(connection.read(maybeOne(row`SELECT n FROM t WHERE n = 1`))).toEqual({ n: 1 })
    expect(() => connection.read(maybeOne(row`SELECT n FROM t`))).toThrow('got 2')
    expect(() => connection.read(one(row`SELECT n FROM t WHERE n = 3`))).toThrow('got 0')
    expect(connection.read(mapped(one(row`SELECT n FROM t WHERE n = 2`), ({ n }) => n * 10))).toBe(20)
    expect(connection.read(mapped(constant('as is'), (text) => text.length))).toBe(5)
  })

  it('checks rows against their schema only if a spec asks for it', () => {
    const badQuery = any(sql.type(z.object({ n: z.string() }))`SELECT n FROM t`)
    connection.run(insertRows('t', ['n'], [[1]]))
    expect(() => connection.read(badQuery)).toThrow('does not fit its schema')
    const unchecked = connect(folder.file, { readonly: true })
    expect(unchecked.read(badQuery)).toEqual([{ n: 1 }])
    unchecked.close()
  })

  it('prepares an SQL text once, and caches a limited number of statements', () => {
    const prepared: string[] = []
    const { database } = connection
    const prepare = database.prepare.bind(database)
    database.prepare = (text: string) => {
      prepared.push(text)
      return prepare(text)
    }

    const ask = (n: number): void =>
      void connection.read(
        any(sql.type(z.object({}))`SELECT ${sql.identifier([`n`])} FROM t LIMIT ${sql.literalValue(String(n))}`),
      )
    for (let n = 0; n < 500; n++) ask(n)
    for (let n = 0; n < 500; n++) ask(n)
    expect(prepared).toHaveLength(500)
    for (let n = 500; n < 600; n++) ask(n)
    expect(prepared).toHaveLength(600)
    // The last 500 are still cached, the first are not.
    for (let n = 100; n < 600; n++) ask(n)
    expect(prepared).toHaveLength(600)
    ask(0)
    expect(prepared).toHaveLength(601)
  })

  it('reports a full store as unavailable', () => {
    connection.database.pragma(`max_page_count = ${Number(connection.database.pragma('page_count', { simple: true }))}`)
    const fill = connection.database.transaction(() =>
      connection.run(
        insertRows(
          't',
          ['n', 'words'],
          Array.from({ length: 50 }, (_, n) => [n, 'x'.repeat(4000)]),
        ),
      ),
    )
    expect(fill).toThrow(Unavailable)
    expect(fill).toThrow(DiskFull)
    expect(fill).toThrow('the disk of the store is full')
    expect(counted()).toBe(0)
  })

  it('reports a locked store, and a read-only one, as unavailable', () => {
    connection.database.pragma('busy_timeout = 0')
    onFile(folder.file, (database) => {
      database.exec('BEGIN IMMEDIATE')
      expect(() => connection.run(statement`INSERT INTO t (n) VALUES (1)`)).toThrow(
        expect.objectContaining({
          name: 'Unavailable',
          cause: expect.objectContaining({ code: 'SQLITE_BUSY' }) as unknown,
        }),
      )
      expect(counted()).toBe(0)
      database.exec('ROLLBACK')
    })
    const readonly = connect(folder.file, { readonly: true })
    expect(() => readonly.run(statement`INSERT INTO t (n) VALUES (1)`)).toThrow(Unavailable)
    readonly.close()
  })

  it('leaves every other error unchanged', () => {
    connection.run(insertRows('t', ['n'], [[1]]))
    for (const badQuery of [
      statement`INSERT INTO t (n) VALUES (1)`,
      statement`INSERT INTO missing VALUES (1)`,
      insertRows('t', ['n'], [[1]]),
    ])
      expect(() => connection.run(badQuery)).toThrow(Database.SqliteError)
  })
})

describe('a reader', () => {
  it('answers several queries from one snapshot', async () => {
    const store = openStore()
    const reader = openSqliteReader(store.file, { checkRows: true })
    const Count = z.object({ n: z.number() })
    const count = one(sql.type(Count)`SELECT count(*) AS n FROM events`)
    const fact = aCommand([event('run/a', 'A', {})])
    // The first query of the batch commits an event before the second query runs.
    const writes = mapped(count, ({ n }) => {
      commitAll(store.writer, fact)
      return n
    })
    expect(await reader.readAll({ writes, after: count })).toEqual({ writes: 0, after: { n: 0 } })
    expect(await reader.read(count)).toEqual({ n: 1 })
    reader.close()
    store.close()
  })

  it('ends its snapshot after a failed query', async () => {
    const store = openStore()
    const reader = openSqliteReader(store.file)
    const badQuery = any(sql.type(z.object({}))`SELECT a FROM missing`)
    await expect(reader.readAll({ wrong: badQuery })).rejects.toThrow('no such table')
    expect(await reader.readAll({ seven: constant(7) })).toEqual({ seven: 7 })
    reader.close()
    store.close()
  })
})

describe('a writer', () => {
  it('continues at the end of the log', () => {
    const { file, remove } = freshFolder()
    migrate(file)
    const open = () => openSqliteWriter({ file, project: () => [], now: steppingClock(), instance: 'i' })
    const first = open()
    const numbered = aCommand([], {
      decide: (_facts, _prepared, { nextRunNo }) => [event('run/a', 'A', { run_no: nextRunNo() })],
    })
    commitAll(first, numbered, numbered)
    const head = first.head()
    first.close()

    const second = open()
    expect(second.head()).toEqual(head)
    commitAll(second, numbered)
    expect(
      second.connection.database
        .prepare("SELECT json_extract(body, '$.data.run_no') FROM event_bodies ORDER BY seq")
        .pluck()
        .all(),
    ).toEqual([1, 2, 3])
    second.close()
    remove()
  })

  it('rejects a log that disagrees with its head: a commit would hide the damage', () => {
    const { file, remove } = freshFolder()
    migrate(file)
    const open = () => openSqliteWriter({ file, project: () => [], now: steppingClock(), instance: 'i' })
    const writer = open()
    commitAll(writer, aCommand([event('run/a', 'A', {})]))
    writer.close()
    onFile(file, (database) => database.exec("UPDATE log_head SET size = 0, frontier = x''"))
    expect(open).toThrow('the log ends at 1 but its head says 0')
    remove()
  })

  it('never records a time before the last one, whatever the clock says', () => {
    let now = 1000
    const store = openStore({ now: () => now })
    const fact = aCommand([event('run/a', 'A', {})])
    for (const at of [1000, 400, 2000]) {
      now = at
      commitAll(store.writer, fact)
    }
    expect(
      store.writer.connection.database.prepare('SELECT recorded_at FROM events ORDER BY seq').pluck().all(),
    ).toEqual([1000, 1000, 2000])
    expect(store.writer.head().recorded_at).toBe(2000)
    store.close()
  })
})
