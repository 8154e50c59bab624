import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { insertStatements } from '../../../storage/postgres/insert-rows.ts'
import { openPool, type PostgresPool } from '../../../storage/postgres/pool.ts'
import { any, insertRows, one, sql } from '../../../storage/sql.ts'
import type { Value } from '../../../storage/storage.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'

const TYPES = new Map([
  ['n', 'bigint'],
  ['bytes', 'bytea'],
  ['tags', 'json'],
  ['name', 'text'],
  ['flag', 'boolean'],
  ['score', 'double precision'],
])
const COLUMNS = ['n', 'bytes', 'tags', 'name', 'flag', 'score'] as const
const rowsOf = (rows: ReadonlyArray<readonly Value[]>) => [
  ...insertStatements({ table: 'things', columns: COLUMNS, rows }, TYPES),
]

let pool: PostgresPool
let close: () => Promise<void>

beforeAll(async () => {
  const database = await freshDatabase({ template: false })
  pool = await openPool({ url: database.ownerUrl, connections: 2, statementTimeoutMs: 10_000 })
  await pool.withConnection(({ control }) =>
    control(
      'CREATE TABLE things (n bigint PRIMARY KEY, bytes bytea, tags json, name text, flag boolean, score double precision)',
    ),
  )
  close = async () => {
    await pool.close()
    await database.close()
  }
})
afterAll(() => close())

const insert = (rows: Iterable<readonly Value[]>) =>
  pool.withConnection(({ run }) => run(insertRows('things', COLUMNS, rows)))
const Thing = z.object({
  n: z.number(),
  bytes: z.instanceof(Buffer).nullable(),
  tags: z.unknown(),
  name: z.string().nullable(),
  flag: z.boolean().nullable(),
  score: z.number().nullable(),
})
const list = () => pool.read(any(sql.type(Thing)`SELECT n, bytes, tags, name, flag, score FROM things ORDER BY n`))

const EACH: ReadonlyArray<readonly Value[]> = [
  [1, Buffer.from([0, 1, 255]), '{"b":1,"a":["é",null]}', 'quote " \\ \n \u{1f600}', true, 0.1],
  [2n ** 53n - 1n, Buffer.alloc(0), '"text"', '', false, -0],
  [3, null, null, null, null, null],
  [4, Buffer.alloc(5000, 7), '[]', '�', true, 1e-300],
]

describe('insertRows', () => {
  it('stores and returns rows unchanged, alone and together', async () => {
    await insert(EACH)
    const together = await list()
    await pool.withConnection(({ control }) => control('DELETE FROM things'))
    for (const row of EACH) await insert([row])
    expect(await list()).toEqual(together)
    expect(together).toEqual([
      {
        n: 1,
        bytes: Buffer.from([0, 1, 255]),
        tags: { b: 1, a: ['é', null] },
        name: 'quote " \\ \n \u{1f600}',
        flag: true,
        score: 0.1,
      },
      { n: 3, bytes: null, tags: null, name: null, flag: null, score: null },
      { n: 4, bytes: Buffer.alloc(5000, 7), tags: [], name: '�', flag: true, score: 1e-300 },
      { n: Number.MAX_SAFE_INTEGER, bytes: Buffer.alloc(0), tags: 'text', name: '', flag: false, score: 0 },
    ])
  })

  it('accepts an empty list of rows', async () => {
    const rowsBefore = await list()
    await insert([])
    expect(await list()).toEqual(rowsBefore)
  })

  it('accepts bytes from another thread, which are no longer a Buffer', async () => {
    await insert([[10, structuredClone(Buffer.from('sent')), null, null, null, null]])
    await insert([
      [11, structuredClone(Buffer.from('sent')), null, null, null, null],
      [12, null, null, null, null, null],
    ])
    const sent = (await list()).filter(({ bytes }) => bytes?.toString() === 'sent')
    expect(sent.map(({ n }) => n)).toEqual([10, 11])
  })

  it('sends one parameter plus one per column of bytes; a single row as its values', () => {
    const small = (n: number): Value[] => [n, null, null, 'x', null, null]
    expect(rowsOf(Array.from({ length: 2000 }, (_, n) => small(n))).map(({ values }) => values.length)).toEqual([2])
    expect(rowsOf(Array.from({ length: 2001 }, (_, n) => small(n))).map(({ values }) => values.length)).toEqual([2, 6])
    expect(rowsOf([small(1)]).map(({ values }) => values.length)).toEqual([6])
    const plain = [
      ...insertStatements(
        {
          table: 'things',
          columns: ['n', 'name'],
          rows: [
            [1, 'x'],
            [2, 'y'],
          ],
        },
        TYPES,
      ),
    ]
    expect(plain.map(({ values }) => values.length)).toEqual([1])
  })

  it('splits many rows into several statements, each built on demand', () => {
    const long = (n: number, text: number, bytes: number): Value[] => [
      n,
      Buffer.alloc(bytes),
      null,
      'x'.repeat(text),
      null,
      null,
    ]
    const counts = (text: number, bytes: number) =>
      rowsOf(Array.from({ length: 5 }, (_, n) => long(n, text, bytes))).map(({ values }) => values.length)
    expect(counts(320_000, 0)).toEqual([2, 2])
    expect(counts(0, 320_000)).toEqual([2, 2])
    expect(counts(0, 1_600_000)).toEqual([6, 6, 6, 6, 6])
    const producedRows: number[] = []
    const rows = function* (): Generator<Value[]> {
      for (let n = 0; n < 100; n++) {
        producedRows.push(n)
        yield long(n, 320_000, 0)
      }
    }
    const statements = insertStatements({ table: 'things', columns: COLUMNS, rows: rows() }, TYPES)
    statements.next()
    expect(producedRows.length).toBeLessThan(10)
  })

  it('throws an error that names a column that the table lacks', () => {
    expect(() => [...insertStatements({ table: 'things', columns: ['n', 'other'], rows: [[1, 2]] }, TYPES)]).toThrow(
      'table things has no column other',
    )
  })
})

it('numbers are read as numbers, even sums and counts, and never lose a digit', async () => {
  const Sums = z.object({ count: z.number(), sum: z.number(), big: z.number() })
  expect(
    await pool.read(
      one(
        sql.type(
          Sums,
        )`SELECT count(*) AS count, sum(x) AS sum, max(x) AS big FROM (VALUES (CAST(9007199254740991 AS bigint)), (-1)) v (x)`,
      ),
    ),
  ).toEqual({ count: 2, sum: Number.MAX_SAFE_INTEGER - 1, big: Number.MAX_SAFE_INTEGER })
  await expect(
    pool.read(one(sql.type(z.object({ n: z.number() }))`SELECT CAST(9007199254740993 AS bigint) AS n`)),
  ).rejects.toThrow('9007199254740993 exceeds the precision of a number')
})
