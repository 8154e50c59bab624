import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { queryTerms } from '../../engine/tokenizer.ts'
import { deleteSearchRows, findWord, firstRow, hiddenToken, lastRow, listNewest, matchExpression, placeOf, rowOf, SEARCH_COLUMNS, scopeTokens, setToken } from '../../storage/search.ts'
import type { Kind, Sight } from '../../storage/search.ts'
import { insertRows } from '../../storage/sql.ts'
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
    for (const token of tokens) expect(token).toMatch(/^\u{e000}[a-z0-9]+$/u)
  })

  it('say of a row its project, its set and how its run used the cache', () => {
    const project = hiddenToken({ project: 'p', suite: null })
    expect(scopeTokens({ project: 'p', suite: 's' }).split(' ')).toEqual([project, setToken({ project: 'p', suite: 's' })])
    expect(scopeTokens({ project: 'p', suite: null }).split(' ')).toEqual([project, setToken({ project: 'p', suite: null })])
    expect(scopeTokens({ project: null, suite: 's' })).toBe(setToken({ project: null, suite: null }))
    expect(scopeTokens({ project: 'p', suite: 's' }, true).split(' ')).toHaveLength(3)
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
      const { run } = store.writer.connection
      run(insertRows('run_search', SEARCH_COLUMNS, [[rowOf(run_no, null), scopeTokens(set), `greeting ${set.project ?? ''}`, 'nightly', '', '', '', '']]))
      run(
        insertRows('search', SEARCH_COLUMNS, [
          [rowOf(run_no, 0), scopeTokens(set), 'greeting', 'nightly', 'broken', 'because', 'hello world', 'say hello'],
          [rowOf(run_no, 1), scopeTokens(set), 'farewell', '', '', '', 'good bye', 'say greeting'],
        ]),
      )
    }
  })
  afterAll(() => store.close())

  const newest = (kind: Kind, expression: string) => store.writer.connection.read(listNewest(kind, expression, null)).map(placeOf).reverse()
  const rows = (expression: string) => newest('case', expression)

  it('finds runs apart from cases', () => {
    expect(newest('run', matchExpression('"greeting" *', { hidden: [] }))).toEqual(SETS.map((_, run_no) => ({ run_no, n: null })))
    expect(newest('case', matchExpression('"greeting" *', { hidden: [] }))).toEqual(SETS.flatMap((_, run_no) => [{ run_no, n: 0 }, { run_no, n: 1 }]))
  })

  it.each(['broken', 'because', 'hello', 'nightly', 'say', 'world'])('looks in every field of text: %s', (word) =>
    expect(rows(matchExpression(`"${word}" *`, { hidden: [] })).length).toBeGreaterThanOrEqual(SETS.length))

  it('wants all words, in any fields of one row', () => {
    expect(rows(matchExpression('"broken" * AND "nightly" * AND "hello" *', { hidden: [] }))).toHaveLength(SETS.length)
    expect(rows(matchExpression('"broken" * AND "farewell" *', { hidden: [] }))).toEqual([])
  })

  it('never finds a scope token by a word of a user', () => {
    for (const token of new Set(SETS.flatMap((set) => scopeTokens(set).split(' '))))
      for (const kind of ['run', 'case'] as const) {
        expect(newest(kind, matchExpression(`"${token}" *`, { hidden: [] }))).toEqual([])
        // Nor can one be typed: what a query holds besides letters and digits is dropped.
        expect(queryTerms(token).flat().join('')).toBe(token.slice(1))
      }
  })

  type Named = { project: string; suite: string | null }
  const seenIn = (sight: Sight) => {
    const runs = newest('run', matchExpression('"greeting" *', sight)).map(({ run_no }) => run_no)
    expect([...new Set(rows(matchExpression('"greeting" *', sight)).map(({ run_no }) => run_no))]).toEqual(runs)
    return runs
  }

  it('leaves out hidden projects with all their suites, and hidden suites alone', () => {
    const without = (...hidden: Named[]) => seenIn({ hidden })
    expect(without({ project: 'chat', suite: null })).toEqual([2, 3])
    expect(without({ project: 'chat', suite: 'smoke' })).toEqual([1, 2, 3])
    expect(without({ project: 'chat', suite: 'smoke' }, { project: 'chat', suite: 'full' })).toEqual([2, 3])
    expect(without({ project: 'mail', suite: null }, { project: 'chat', suite: 'full' })).toEqual([0, 3])
    expect(without({ project: 'smoke', suite: 'chat' }, { project: 'hello', suite: null })).toEqual([0, 1, 2, 3])
  })

  it('finds of visible sets these alone, and what no project names', () => {
    const only = (...visible: Named[]) => seenIn({ visible })
    expect(only()).toEqual([3])
    expect(only({ project: 'chat', suite: 'full' })).toEqual([1, 3])
    expect(only({ project: 'mail', suite: null }, { project: 'chat', suite: 'smoke' })).toEqual([0, 2, 3])
    // A set without a suite is no project.
    expect(only({ project: 'chat', suite: null })).toEqual([3])
  })

  it('stands a thousand hidden sets and more', () => {
    const hidden = Array.from({ length: 5000 }, (_, i) => ({ project: `secret ${i}`, suite: i % 2 === 0 ? null : 'suite' }))
    expect(rows(matchExpression('"greeting" *', { hidden }))).toHaveLength(2 * SETS.length)
    expect(rows(matchExpression('"greeting" *', { hidden: [...hidden, { project: 'chat', suite: null }] }))).toHaveLength(SETS.length)
  })

  it('finds nothing of a run whose rows were deleted', () => {
    for (const each of deleteSearchRows(3)) store.writer.connection.run(each)
    expect(newest('run', matchExpression('"greeting" *', { hidden: [] })).map(({ run_no }) => run_no)).toEqual([0, 1, 2])
    expect(rows(matchExpression('"hello" *', { hidden: [] })).map(({ run_no }) => run_no)).toEqual([0, 1, 2])
  })

  it('reads the newest first, and on below any row', () => {
    const expression = matchExpression('"greeting" *', { hidden: [] })
    const read = (below: number | null, count: number) => store.writer.connection.read(listNewest('case', expression, below, count))
    const all = read(null, 100)
    expect(all).toEqual(all.toSorted((a, b) => b - a))
    expect(read(null, 2)).toEqual(all.slice(0, 2))
    expect(read(all[1] ?? 0, 2)).toEqual(all.slice(2, 4))
    expect(read(all.at(-1) ?? 0, 2)).toEqual([])
  })
})

describe('the words of an index', () => {
  it('are told in order, each once, runs and cases apart', () => {
    const store = openStore()
    const { run, read } = store.writer.connection
    run(insertRows('search', SEARCH_COLUMNS, [[rowOf(1, 0), '', 'answer answers', '', '', '', 'answer been', ''], [rowOf(1, 1), '', 'answering', '', '', '', '', '']]))
    run(insertRows('run_search', SEARCH_COLUMNS, [[rowOf(1, null), '', 'nightly', '', '', '', '', '']]))
    const words: string[] = []
    for (let word = read(findWord('case', '')); word !== null; word = read(findWord('case', `${word}\x01`))) words.push(word)
    expect(words).toEqual(['answer', 'answering', 'answers', 'been'])
    expect(read(findWord('case', 'answera'))).toBe('answering')
    expect(read(findWord('run', ''))).toBe('nightly')
    expect(read(findWord('run', 'o'))).toBeNull()
    store.close()
  })
})
