import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { firstRow, hiddenToken, lastRow, matchExpression, placeOf, rowOf, SEARCH_COLUMNS, scopeTokens } from '../../storage/search.ts'
import { any, insertRows, sql, statement } from '../../storage/sql.ts'
import { openStore } from '../support/store.ts'
import type { SpecStore } from '../support/store.ts'

describe('a row of the index', () => {
  it('names its run and case, both ways', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 }), fc.option(fc.nat({ max: 2 ** 20 - 2 })), (run_no, n) => {
        const row = rowOf(run_no, n)
        expect(placeOf(Number(row))).toEqual({ run_no, n })
        expect(row >= firstRow(run_no) && row <= lastRow(run_no)).toBe(true)
        expect(row < firstRow(run_no + 1)).toBe(true)
      }),
    ))
})

describe('scope tokens', () => {
  it('are one token for any name, and tell apart what reads alike', () => {
    const sets = [
      { project: 'a b', suite: null },
      { project: 'a', suite: 'b' },
      { project: 'a', suite: 'b"' },
      { project: '', suite: '' },
      { project: '', suite: null },
      { project: 'p'.repeat(400), suite: 'ß\u{1f600}*' },
    ]
    const tokens = sets.map(hiddenToken)
    expect(new Set(tokens).size).toBe(sets.length)
    for (const token of tokens) expect(token).toMatch(/^[a-z0-9]+$/)
  })

  it('say of a row what kind it is, its project and its suite', () => {
    expect(scopeTokens('case', { project: null, suite: null })).toBe('kindcase')
    expect(scopeTokens('run', { project: null, suite: 's' })).toBe('kindrun')
    expect(scopeTokens('run', { project: 'p', suite: null })).toBe(`kindrun ${hiddenToken({ project: 'p', suite: null })}`)
    expect(scopeTokens('case', { project: 'p', suite: 's' }).split(' ')).toEqual(['kindcase', hiddenToken({ project: 'p', suite: null }), hiddenToken({ project: 'p', suite: 's' })])
  })
})

describe('a match', () => {
  let store: SpecStore
  const SETS = [
    { project: 'chat', suite: 'smoke' },
    { project: 'chat', suite: 'full' },
    { project: 'mail', suite: null },
    { project: null, suite: null },
  ]

  beforeAll(() => {
    store = openStore()
    // Run i is of set i, and has two cases.
    for (const [run_no, set] of SETS.entries()) {
      const scope = (kind: 'run' | 'case') => scopeTokens(kind, set)
      store.writer.connection.run(
        insertRows('search', SEARCH_COLUMNS, [
          [rowOf(run_no, null), scope('run'), `greeting ${set.project ?? ''}`, 'nightly', '', '', '', ''],
          [rowOf(run_no, 0), scope('case'), 'greeting', 'nightly', 'broken', 'because', 'hello world', 'say hello'],
          [rowOf(run_no, 1), scope('case'), 'farewell', '', '', '', 'good bye', 'say greeting'],
        ]),
      )
    }
  })
  afterAll(() => store.close())

  const rows = (expression: string) =>
    store.writer.connection.read(any(sql.type(z.object({ rowid: z.number() }))`SELECT rowid FROM search WHERE search MATCH ${expression} ORDER BY rowid`)).map(({ rowid }) => placeOf(rowid))

  it('finds runs apart from cases', () => {
    expect(rows(matchExpression('run', '"greeting" *', []))).toEqual(SETS.map((_, run_no) => ({ run_no, n: null })))
    expect(rows(matchExpression('case', '"greeting" *', []))).toEqual(SETS.flatMap((_, run_no) => [{ run_no, n: 0 }, { run_no, n: 1 }]))
  })

  it.each(['broken', 'because', 'hello', 'nightly', 'say', 'world'])('looks in every field of text: %s', (word) =>
    expect(rows(matchExpression('case', `"${word}" *`, [])).length).toBeGreaterThanOrEqual(SETS.length))

  it('wants all words, in any fields of one row', () => {
    expect(rows(matchExpression('case', '"broken" * AND "nightly" * AND "hello" *', []))).toHaveLength(SETS.length)
    expect(rows(matchExpression('case', '"broken" * AND "farewell" *', []))).toEqual([])
  })

  it('never finds a scope token by a word of a user', () => {
    const tokens = SETS.flatMap((set) => [...scopeTokens('run', set).split(' '), ...scopeTokens('case', set).split(' ')])
    for (const token of new Set([...tokens, 'kind']))
      for (const kind of ['run', 'case'] as const) expect({ token, kind, found: rows(matchExpression(kind, `"${token}" *`, [])) }).toEqual({ token, kind, found: [] })
  })

  it('leaves out hidden projects with all their suites, and hidden suites alone', () => {
    const runs = (...hidden: Array<{ project: string; suite: string | null }>) => rows(matchExpression('run', '"greeting" *', hidden)).map(({ run_no }) => run_no)
    const cases = (...hidden: Array<{ project: string; suite: string | null }>) => [...new Set(rows(matchExpression('case', '"greeting" *', hidden)).map(({ run_no }) => run_no))]
    for (const seen of [runs, cases]) {
      expect(seen({ project: 'chat', suite: null })).toEqual([2, 3])
      expect(seen({ project: 'chat', suite: 'smoke' })).toEqual([1, 2, 3])
      expect(seen({ project: 'chat', suite: 'smoke' }, { project: 'chat', suite: 'full' })).toEqual([2, 3])
      expect(seen({ project: 'mail', suite: null }, { project: 'chat', suite: 'full' })).toEqual([0, 3])
      expect(seen({ project: 'smoke', suite: 'chat' }, { project: 'hello', suite: null })).toEqual([0, 1, 2, 3])
    }
  })

  it('stands a thousand hidden sets and more', () => {
    const hidden = Array.from({ length: 5000 }, (_, i) => ({ project: `secret ${i}`, suite: i % 2 === 0 ? null : 'suite' }))
    expect(rows(matchExpression('case', '"greeting" *', hidden))).toHaveLength(2 * SETS.length)
    expect(rows(matchExpression('case', '"greeting" *', [...hidden, { project: 'chat', suite: null }]))).toHaveLength(SETS.length)
  })

  it('finds nothing of a run whose rows were deleted', () => {
    store.writer.connection.run(statement`DELETE FROM search WHERE rowid >= ${firstRow(3)} AND rowid <= ${lastRow(3)}`)
    expect(rows(matchExpression('run', '"greeting" *', [])).map(({ run_no }) => run_no)).toEqual([0, 1, 2])
    expect(rows(matchExpression('case', '"hello" *', [])).map(({ run_no }) => run_no)).toEqual([0, 1, 2])
  })
})
