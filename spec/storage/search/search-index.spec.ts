import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { queryTerms } from '../../../domain/search/tokenizer.ts'
import type { RunSet } from '../../../domain/sets.ts'
import { prefixesOf } from '../../../queries/search/ranking.ts'
import {
  deleteSearchRows,
  findWord,
  firstRow,
  hiddenToken,
  lastRow,
  listNewest,
  searchMatch,
  searchEntry,
  searchRowid,
  rowScope,
  scopeTokens,
  SEARCH_COLUMNS,
  SEARCH_TABLES,
  setToken,
  VECTOR_COLUMNS,
} from '../../../storage/search/search-index.ts'
import type { Kind, Match, SEARCH_FIELDS, Visibility } from '../../../storage/search/search-index.ts'
import { insertRows } from '../../../storage/sql.ts'
import type { Statement } from '../../../storage/storage.ts'
import { wordsRow } from '../../support/search/words-row.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { openStorage, type SpecStorage } from '../../support/stores/open-storage.ts'

/** A row of an index on either storage. Missing fields are empty. */
const indexed = (
  kind: Kind,
  rowid: bigint,
  set: RunSet,
  fields: Partial<Record<(typeof SEARCH_FIELDS)[number], string>>,
): Statement => {
  const { name = '', tags = '', error = '', reasons = '', output = '', prompt = '' } = fields
  const words = (text: string): string[] => text.split(' ').filter((word) => word !== '')
  return {
    ...insertRows(SEARCH_TABLES[kind], SEARCH_COLUMNS, [
      [rowid, scopeTokens(set), name, tags, error, reasons, output, prompt],
    ]),
    postgres: insertRows(SEARCH_TABLES[kind], VECTOR_COLUMNS, [
      wordsRow(rowid, rowScope(set), {
        name: words(name),
        tags: words(tags),
        error: words(error),
        reasons: words(reasons),
        output: words(output),
        prompt: words(prompt),
      }),
    ]),
  }
}

it('a row of the index converts to its run and case and back', () =>
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 }), fc.option(fc.nat({ max: 2 ** 20 - 2 })), (run_no, n) => {
      const row = searchRowid(run_no, n)
      expect(searchEntry(Number(row))).toEqual({ run_no, n })
      expect(row >= firstRow(run_no) && row <= lastRow(run_no)).toBe(true)
      expect(row < firstRow(run_no + 1)).toBe(true)
    }),
  ))

describe('scope tokens', () => {
  it('are a single token for any name, and differ for similar names', () => {
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

  it("contain the project, the set and the cache use of a row's run", () => {
    const project = hiddenToken({ project: 'p', suite: null })
    expect(scopeTokens({ project: 'p', suite: 's' }).split(' ')).toEqual([
      project,
      setToken({ project: 'p', suite: 's' }),
    ])
    expect(scopeTokens({ project: 'p', suite: null }).split(' ')).toEqual([
      project,
      setToken({ project: 'p', suite: null }),
    ])
    expect(scopeTokens({ project: null, suite: 's' })).toBe(setToken({ project: null, suite: null }))
    expect(scopeTokens({ project: 'p', suite: 's' }, true).split(' ')).toHaveLength(3)
  })
})

describe('a match', () => {
  let store: SpecStorage
  const SETS = [
    { project: 'chat', suite: 'smoke' },
    { project: 'chat', suite: 'full' },
    { project: 'mail', suite: null },
    { project: null, suite: null },
  ]

  beforeAll(async () => {
    store = await openStorage()
    // Run i belongs to set i and has two cases.
    await store.run(
      ...SETS.flatMap((set, run_no) => [
        indexed('run', searchRowid(run_no, null), set, { name: `greeting ${set.project ?? ''}`, tags: 'nightly' }),
        indexed('case', searchRowid(run_no, 0), set, {
          name: 'greeting',
          tags: 'nightly',
          error: 'broken',
          reasons: 'because',
          output: 'hello world',
          prompt: 'say hello',
        }),
        indexed('case', searchRowid(run_no, 1), set, { name: 'farewell', output: 'good bye', prompt: 'say greeting' }),
      ]),
    )
  })
  afterAll(() => store.close())

  const words = (q: string) => prefixesOf(queryTerms(q))
  const newest = async (kind: Kind, match: Match) =>
    (await store.read(listNewest(kind, match, null))).map(searchEntry).reverse()
  const rows = (match: Match) => newest('case', match)

  it('finds runs separately from cases', async () => {
    expect(await newest('run', searchMatch(words('greeting'), { hidden: [] }))).toEqual(
      SETS.map((_, run_no) => ({ run_no, n: null })),
    )
    expect(await newest('case', searchMatch(words('greeting'), { hidden: [] }))).toEqual(
      SETS.flatMap((_, run_no) => [
        { run_no, n: 0 },
        { run_no, n: 1 },
      ]),
    )
  })

  it.each(['broken', 'because', 'hello', 'nightly', 'say', 'world'])('searches every text field: %s', async (word) =>
    expect((await rows(searchMatch(words(word), { hidden: [] }))).length).toBeGreaterThanOrEqual(SETS.length),
  )

  it('requires all words, in any fields of one row', async () => {
    expect(await rows(searchMatch(words('broken nightly hello'), { hidden: [] }))).toHaveLength(SETS.length)
    expect(await rows(searchMatch(words('broken farewell'), { hidden: [] }))).toEqual([])
  })

  it("never finds a scope token through a user's word", async () => {
    for (const token of new Set(SETS.flatMap((set) => scopeTokens(set).split(' ')))) {
      // No query can contain one: everything in a query except letters and digits is dropped.
      expect(queryTerms(token).flat().join('')).toBe(token.slice(1))
      for (const kind of ['run', 'case'] as const) {
        expect(await newest(kind, searchMatch(words(token), { hidden: [] }))).toEqual([])
        // On SQLite, a query with the token itself finds nothing either.
        if (!onPostgres)
          expect(await newest(kind, searchMatch({ ...words('x'), all: `"${token}" *` }, { hidden: [] }))).toEqual([])
      }
    }
  })

  type Named = { project: string; suite: string | null }
  const seenIn = async (sight: Visibility) => {
    const runs = (await newest('run', searchMatch(words('greeting'), sight))).map(({ run_no }) => run_no)
    expect([...new Set((await rows(searchMatch(words('greeting'), sight))).map(({ run_no }) => run_no))]).toEqual(runs)
    return runs
  }

  it('leaves out hidden projects with all their suites, and single hidden suites', async () => {
    const findWithout = (...hidden: Named[]) => seenIn({ hidden })
    expect(await findWithout({ project: 'chat', suite: null })).toEqual([2, 3])
    expect(await findWithout({ project: 'chat', suite: 'smoke' })).toEqual([1, 2, 3])
    expect(await findWithout({ project: 'chat', suite: 'smoke' }, { project: 'chat', suite: 'full' })).toEqual([2, 3])
    expect(await findWithout({ project: 'mail', suite: null }, { project: 'chat', suite: 'full' })).toEqual([0, 3])
    expect(await findWithout({ project: 'smoke', suite: 'chat' }, { project: 'hello', suite: null })).toEqual([
      0, 1, 2, 3,
    ])
  })

  it('finds only runs of visible sets, and runs without a project', async () => {
    const only = (...visible: Named[]) => seenIn({ visible })
    expect(await only()).toEqual([3])
    expect(await only({ project: 'chat', suite: 'full' })).toEqual([1, 3])
    expect(await only({ project: 'mail', suite: null }, { project: 'chat', suite: 'smoke' })).toEqual([0, 2, 3])
    // A set without a suite is not a project.
    expect(await only({ project: 'chat', suite: null })).toEqual([3])
  })

  it('supports thousands of hidden sets', async () => {
    const hidden = Array.from({ length: 5000 }, (_, i) => ({
      project: `secret ${i}`,
      suite: i % 2 === 0 ? null : 'suite',
    }))
    expect(await rows(searchMatch(words('greeting'), { hidden }))).toHaveLength(2 * SETS.length)
    expect(
      await rows(searchMatch(words('greeting'), { hidden: [...hidden, { project: 'chat', suite: null }] })),
    ).toHaveLength(SETS.length)
  })

  it('finds nothing of a run whose rows were deleted', async () => {
    await store.run(...deleteSearchRows(3))
    expect((await newest('run', searchMatch(words('greeting'), { hidden: [] }))).map(({ run_no }) => run_no)).toEqual([
      0, 1, 2,
    ])
    expect((await rows(searchMatch(words('hello'), { hidden: [] }))).map(({ run_no }) => run_no)).toEqual([0, 1, 2])
  })

  it('reads the newest rows first, and continues below any row', async () => {
    const expression = searchMatch(words('greeting'), { hidden: [] })
    const read = (below: number | null, count: number) => store.read(listNewest('case', expression, below, count))
    const allRows = await read(null, 100)
    expect(allRows).toEqual(allRows.toSorted((a, b) => b - a))
    expect(await read(null, 2)).toEqual(allRows.slice(0, 2))
    expect(await read(allRows[1] ?? 0, 2)).toEqual(allRows.slice(2, 4))
    expect(await read(allRows.at(-1) ?? 0, 2)).toEqual([])
  })
})

// Only for SQLite: PostgreSQL searches prefixes by itself.
if (!onPostgres)
  describe('the words of an index', () => {
    it('are listed in order, each once, separately for runs and cases', async () => {
      const { run, read, close } = await openStorage()
      await run(
        indexed(
          'case',
          searchRowid(1, 0),
          { project: null, suite: null },
          { name: 'answer answers', output: 'answer been' },
        ),
        indexed('case', searchRowid(1, 1), { project: null, suite: null }, { name: 'answering' }),
        indexed('run', searchRowid(1, null), { project: null, suite: null }, { name: 'nightly' }),
      )
      const words: string[] = []
      for (
        let word = await read(findWord('case', ''));
        word !== null;
        word = await read(findWord('case', `${word}\x01`))
      )
        words.push(word)
      // Tokens of run sets come after all words.
      expect(words).toEqual(['answer', 'answering', 'answers', 'been', setToken({ project: null, suite: null })])
      expect(await read(findWord('case', 'answera'))).toBe('answering')
      expect(await read(findWord('run', ''))).toBe('nightly')
      expect(await read(findWord('run', '\u{e001}'))).toBeNull()
      await close()
    })
  })
