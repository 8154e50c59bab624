import { describe, expect, it } from 'vitest'
import { shadowText, toShadowTables } from '../../../storage/sqlite/shadow-tables.ts'
import { insertRows, statement } from '../../../storage/sql.ts'

const built = new Set(['sets', 'runs', 'search'])

describe('a statement for shadow tables', () => {
  it.each([
    ['DELETE FROM sets WHERE set_key = $1', 'DELETE FROM "fresh_sets" WHERE set_key = $1'],
    ['UPDATE "sets" SET n = 1', 'UPDATE "fresh_sets" SET n = 1'],
    [
      'INSERT INTO sets (n) VALUES (1) ON CONFLICT (n) DO UPDATE SET n = sets.n + excluded.n',
      'INSERT INTO "fresh_sets" (n) VALUES (1) ON CONFLICT (n) DO UPDATE SET n = "fresh_sets".n + excluded.n',
    ],
    [
      'insert into sets\n  SELECT runs.n FROM runs JOIN search ON search.rowid = "runs" . n',
      'insert into "fresh_sets"\n  SELECT "fresh_runs".n FROM "fresh_runs" JOIN "fresh_search" ON "fresh_search".rowid = "fresh_runs" . n',
    ],
    [
      'UPDATE sets SET run_no = (SELECT runs_no FROM (SELECT 1) LIMIT 1)',
      'UPDATE "fresh_sets" SET run_no = (SELECT runs_no FROM (SELECT 1) LIMIT 1)',
    ],
  ])('names the shadow tables instead of the read tables: %s', (sql, expected) =>
    expect(shadowText(sql, built)).toBe(expected),
  )

  it.each([
    ["INSERT INTO search (search) VALUES ('delete-all')", 'cannot be renamed'],
    ['SELECT 1 FROM sets, runs', 'cannot be renamed'],
    ['DELETE FROM events', 'is not part of a read model'],
    ['UPDATE sets SET n = (SELECT max(seq) FROM events)', 'is not part of a read model'],
  ])('is rejected if it uses another table, or names a table where it cannot be renamed: %s', (sql, message) =>
    expect(() => shadowText(sql, built)).toThrow(message),
  )

  it('keeps values and rows unchanged', () => {
    const redirect = toShadowTables(['sets'])
    expect(redirect(statement`DELETE FROM sets WHERE set_key = ${'sets'}`)).toMatchObject({
      sql: 'DELETE FROM "fresh_sets" WHERE set_key = $slonik_1',
      values: ['sets'],
    })
    const rows = [[1], [2]]
    expect(redirect(insertRows('sets', ['n'], rows))).toEqual({ table: 'fresh_sets', columns: ['n'], rows })
    expect(() => redirect(insertRows('events', ['n'], rows))).toThrow('is not part of a read model')
  })
})
