import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { storedRun } from '../../../commands/run/stored-run.ts'
import { prepareRun } from '../../../domain/run/prepare.ts'
import { caseSearchText, SEARCH_TEXT_BYTES } from '../../../domain/search/search-text.ts'
import { queryTerms } from '../../../domain/search/tokenizer.ts'
import { search } from '../../../projections/search.ts'
import { prefixesOf } from '../../../queries/search/ranking.ts'
import type { Recorded } from '../../../storage/command.ts'
import { migratePostgres } from '../../../storage/postgres/migrate.ts'
import { openPool, type PostgresPool } from '../../../storage/postgres/pool.ts'
import {
  deleteSearchRows,
  listNewest,
  listScores,
  searchMatch,
  searchRowid,
  rowScope,
  VECTOR_COLUMNS,
  MAX_RANKED_HITS,
} from '../../../storage/search/search-index.ts'
import type { Kind, Visibility } from '../../../storage/search/search-index.ts'
import { conditionsOf } from '../../../storage/search/tsquery.ts'
import { any, insertRows, mapped, one, sql, type Typed } from '../../../storage/sql.ts'
import type { Statement } from '../../../storage/storage.ts'
import { aCase, aDocument, realDocuments } from '../../support/documents/documents.ts'
import { runCount } from '../../support/random/runs.ts'
import { wordsRow } from '../../support/search/words-row.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'
import { openStore, type SpecStore } from '../../support/stores/store.ts'

const openSearch = async (icu: boolean): Promise<{ pool: PostgresPool; close: () => Promise<void> }> => {
  const database = await freshDatabase({ template: false, icu })
  await migratePostgres(database.ownerUrl, { store: 'service', now: () => 0 })
  const pool = await openPool({ url: database.ownerUrl, connections: 2, statementTimeoutMs: 60_000, checkRows: true })
  return {
    pool,
    close: async () => {
      await pool.close()
      await database.close()
    },
  }
}

const Found = z.object({ rowid: z.number() })
const Cleaned = z.object({ pages: z.number() })
const Line = z.object({ 'QUERY PLAN': z.string() })

const EVERYTHING: Visibility = { hidden: [] }
const words = (q: string) => prefixesOf(queryTerms(q))

/** What the projection writes for a run with this number. */
const ingested = (run_no: number, document: Buffer): readonly Statement[] =>
  search.apply({
    type: 'RunIngested',
    data: { run_no },
    attached: storedRun(prepareRun(document), { withVectors: true }),
  } as unknown as Recorded)

describe.each([{ icu: false }, { icu: true }])('both storages, ICU $icu', ({ icu }) => {
  let store: SpecStore
  let postgres: Awaited<ReturnType<typeof openSearch>>
  beforeAll(async () => {
    store = openStore()
    postgres = await openSearch(icu)
  })
  afterAll(async () => {
    store.close()
    await postgres.close()
  })

  const runBoth = async (statements: () => readonly Statement[]): Promise<void> => {
    for (const statement of statements()) store.writer.connection.run(statement)
    await postgres.pool.withConnection(async ({ run }) => {
      for (const statement of statements()) await run(statement)
    })
  }
  const ingest = (run_no: number, document: Buffer) => runBoth(() => ingested(run_no, document))
  const findRows = async (kind: Kind, q: string, visibility: Visibility = EVERYTHING, cached?: 'only' | 'exclude') => {
    const query = listNewest(kind, searchMatch(words(q), visibility, cached), null, 100_000)
    const [sqlite, other] = [store.writer.connection.read(query), await postgres.pool.read(query)]
    expect(other, q).toEqual(sqlite)
    return sqlite
  }

  it('find the same in real documents: each word, pair of neighbours and prefix', async () => {
    const documents = realDocuments()
    for (const [n, { bytes }] of documents.entries()) await ingest(1000 + n, bytes)
    let hits = 0
    const queries = new Set<string>()
    for (const { bytes } of documents) {
      const { run, cases } = prepareRun(bytes)
      for (const text of [
        run.search.name,
        ...cases
          .slice(0, 2)
          .flatMap(({ search: { name, error, reasons, output, prompt } }) => [name, error, reasons, output, prompt]),
      ]) {
        const tokens = queryTerms(text.slice(0, 2000)).flat()
        for (const index of [0, 3, 7, tokens.length - 2].filter((index) => index in tokens)) {
          const [word = '', next = ''] = tokens.slice(index)
          for (const q of [word, word.slice(0, 3), `${word} ${next}`, `${word}-${next.slice(0, 4)}`, `${next}.${word}`])
            if (queryTerms(q).length > 0) queries.add(q)
        }
      }
    }
    for (const q of [...queries].slice(0, 400))
      hits += (await findRows('case', q)).length + (await findRows('run', q)).length
    expect(hits).toBeGreaterThan(queries.size)
  })

  it('find the same in any texts and sets', async () => {
    const word = fc.constantFrom(
      'crème',
      'BRÛLÉE',
      'ab',
      'abc',
      'a',
      'straße',
      '日本語',
      'file_name.txt',
      'v1.2.3',
      'ΟΔΟΣ',
      'naïve',
      "it's",
      'x\\y',
      'İstanbul',
      '½',
      '\u{1d7d8}\u{1f600}z',
      '"q"',
      'l:1A',
      'ﬁt',
      'e\u0301',
      'ǅ',
      'long'.repeat(700),
    )
    const text = fc.array(word, { maxLength: 8 }).map((parts) => parts.join(' '))
    const joined = fc
      .array(word, { minLength: 1, maxLength: 3 })
      .chain((parts) => fc.constantFrom(' ', '-', '').map((between) => parts.join(between)))
    const set = fc.record({ project: fc.constantFrom('p', 'q', null), suite: fc.constantFrom('s', 't', null) })
    const visibility: fc.Arbitrary<Visibility> = fc.oneof(
      fc.record({
        hidden: fc.array(
          fc.record({
            project: fc.constantFrom('p', 'q'),
            suite: fc.constantFrom('s', null),
            except: fc.subarray(['s', 't']),
          }),
          { maxLength: 2 },
        ),
      }),
      fc.record({ visible: fc.array(set, { maxLength: 2 }) }),
    )
    let run_no = 100
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ set, name: text, output: text, cached: fc.boolean() }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.record({ q: joined, visibility, cached: fc.constantFrom('only', 'exclude', undefined) }), {
          minLength: 4,
          maxLength: 8,
        }),
        async (runs, queries) => {
          const first = run_no
          for (const { set, name, output, cached } of runs)
            await ingest(
              run_no++,
              Buffer.from(
                JSON.stringify(
                  aDocument({
                    run_id: `r${run_no}`,
                    ...set,
                    origin: { note: name },
                    cases: [aCase({ name, output, cached })],
                  }),
                ),
              ),
            )
          for (const { q, visibility: seen, cached } of queries)
            for (const kind of ['run', 'case'] as const) await findRows(kind, q, seen, cached)
          for (let deleted = first; deleted < run_no; deleted++) await runBoth(() => deleteSearchRows(deleted))
        },
      ),
      { numRuns: runCount(25) },
    )
    expect((await findRows('case', 'long')).filter((rowid) => rowid < Number(searchRowid(1000, null)))).toEqual([])
  })

  describe('a case with the maximum amount of text', () => {
    const fill = (next: (n: number) => string): string => {
      let text = ''
      for (let n = 0; text.length < SEARCH_TEXT_BYTES * 1.5; n++) text += `${next(n)} `
      return text
    }
    const base36 = (n: number, width: number) => n.toString(36).padStart(width, '0').slice(-width)
    const TEXTS: ReadonlyArray<readonly [name: string, text: string, ...queries: string[]]> = [
      [
        'words of three letters, all different',
        fill((n) =>
          n < 46_656
            ? base36(n, 3)
            : String.fromCharCode(0x4e00 + (n % 20_000)) + String.fromCharCode(0x3a0 + (n % 11)),
        ),
        '00a',
        '00a.00b',
        '0zz 101',
        '101.0zz',
      ],
      ['words of two letters', fill((n) => base36(n % 1296, 2)), '0a.0b', '0b.0a', 'zz.00'],
      [
        'one letter again and again',
        fill(() => 'a'),
        'a',
        'a.a',
        Array.from({ length: 64 }, () => 'a').join('.'),
        'a.b',
      ],
      ['one word', 'q'.repeat(SEARCH_TEXT_BYTES - 100), 'q', 'q'.repeat(5000), 'qr'],
      [
        'words of 1,900 bytes and more',
        fill((n) => base36(n, 4).repeat(475 + (n % 3))),
        base36(1, 4).repeat(300),
        base36(2, 4).repeat(477),
        `${base36(2, 4).repeat(477)}.0003`,
        `${base36(1, 4).repeat(475)}.0002`,
      ],
      [
        'words beyond the first 16,383',
        fill((n) => `n${n}`),
        'n20000',
        'n20000.n20001',
        'n20001.n20000',
        'n15999.n16000.n16001',
        'n31999.n32000',
      ],
    ]

    it.each(TEXTS)('%s', async (_, output, ...queries) => {
      const document = Buffer.from(
        JSON.stringify(aDocument({ run_id: 'big', project: 'big', cases: [aCase({ output, asserts: [] })] })),
      )
      await ingest(50, document)
      const counts = []
      for (const q of queries)
        counts.push((await findRows('case', q)).filter((rowid) => rowid === Number(searchRowid(50, 0))).length)
      await runBoth(() => deleteSearchRows(50))
      expect(counts[0]).toBe(1)
      // The indexed text almost fills the size limit; otherwise this would not test the maximum amount.
      expect(
        Buffer.byteLength(caseSearchText({ name: '', tags: [], error: '', reasons: [], output, prompt: '' }).output),
      ).toBeGreaterThan(SEARCH_TEXT_BYTES - 5000)
    })
  })
})

describe('the newest hits on PostgreSQL', () => {
  let postgres: Awaited<ReturnType<typeof openSearch>>
  const RUNS = 9_000
  const holds: Record<string, (run: number) => boolean> = {
    all: () => true,
    half: (run) => run % 2 === 0,
    tenth: (run) => run % 10 === 0,
    hundredth: (run) => run % 100 === 0,
    rare: (run) => run === 17,
    older: (run) => run < 5_000,
    newest: (run) => run >= RUNS - 3,
    none: () => false,
  }
  const terms = Object.keys(holds)
  const PLAIN = { name: [], tags: [], error: [], reasons: [], prompt: [] }

  beforeAll(async () => {
    postgres = await openSearch(false)
    function* rows() {
      for (let run = 1; run <= RUNS; run++)
        yield wordsRow(searchRowid(run, 0), rowScope({ project: run % 3 === 0 ? 'hidden' : 'seen', suite: null }), {
          ...PLAIN,
          output: terms.filter((word) => holds[word]?.(run)).flatMap((word) => [word, 'code']),
        })
    }
    await postgres.pool.withConnection(({ run }) => run(insertRows('search', VECTOR_COLUMNS, rows())))
  })
  afterAll(() => postgres.close())

  const newest = async (q: string, below: number | null, count: number, visibility: Visibility = EVERYTHING) =>
    (await postgres.pool.read(listNewest('case', searchMatch(words(q), visibility), below, count))).map((rowid) =>
      Number(BigInt(rowid) / BigInt(searchRowid(1, null))),
    )
  const expected = (keep: (run: number) => boolean, below: number, count: number) =>
    Array.from({ length: RUNS }, (_, i) => RUNS - i)
      .filter((run) => run < below && keep(run))
      .slice(0, count)
  const below = (run: number) => (run > RUNS ? null : Number(searchRowid(run, 0)))

  it('are the newest rows below a given row, up to the limit, for common and for rare words', async () => {
    for (const [word, keep] of Object.entries(holds))
      for (const from of [RUNS + 1, 8_000, 5_000, 300, 18, 17, 2, 1])
        for (const count of [1, 50, MAX_RANKED_HITS])
          expect(await newest(word, below(from), count), `${word} below ${from}`).toEqual(expected(keep, from, count))
  })

  it('work for prefixes, several words and phrases', async () => {
    for (const from of [RUNS + 1, 4_000]) {
      expect(await newest('h', below(from), 200)).toEqual(expected((run) => run % 2 === 0, from, 200))
      expect(await newest('ten hal', below(from), 200)).toEqual(expected((run) => run % 10 === 0, from, 200))
      expect(await newest('tenth-code', below(from), 200)).toEqual(expected((run) => run % 10 === 0, from, 200))
      expect(await newest('all-code-half', below(from), 200)).toEqual(expected((run) => run % 2 === 0, from, 200))
      expect(await newest('code-all', below(from), 200)).toEqual([])
    }
  })

  it('do not count hidden rows towards the limit', async () => {
    for (const word of ['all', 'half', 'hundredth'])
      expect(await newest(word, null, 60, { hidden: [{ project: 'hidden', suite: null }] })).toEqual(
        expected((run) => run % 3 !== 0 && holds[word]?.(run) === true, RUNS + 1, 60),
      )
    const hidden = Array.from({ length: 25_000 }, (_, n) => ({
      project: n === 24_999 ? 'hidden' : `other ${n}`,
      suite: null,
    }))
    expect(await newest('hundredth', null, 60, { hidden })).toEqual(
      expected((run) => run % 3 !== 0 && run % 100 === 0, RUNS + 1, 60),
    )
    const [first, ...others] = hidden.toReversed()
    const visible = [first, ...others.slice(0, 500)].flatMap((set) => set ?? [])
    expect(await newest('all', null, 60, { visible })).toEqual(expected((run) => run % 3 === 0, RUNS + 1, 60))
    const exempt = Array.from({ length: 300 }, (_, n) => (n === 0 ? 'kept' : `other ${n}`))
    expect(await newest('rare', null, 60, { hidden: [{ project: 'seen', suite: null, except: exempt }] })).toEqual([])
    expect(await newest('half', null, 60, { hidden: [{ project: 'hidden', suite: null, except: exempt }] })).toEqual(
      expected((run) => run % 3 !== 0 && run % 2 === 0, RUNS + 1, 60),
    )
  })

  it('are the same in runs of many cases, of which rows are read one by one where enough of them match', async () => {
    const [FIRST, CASES, COUNT] = [RUNS + 1, 300, 30]
    const last = COUNT * CASES - 1
    /** By the number of a case, counted over all runs. */
    const has: Record<string, (n: number) => boolean> = {
      every: () => true,
      third: (n) => n % 3 === 0,
      latest: (n) => n > last - 20,
      oldandlatest: (n) => n > last - 20 || n % 500 === 0,
      fortieth: (n) => n % 40 === 0,
    }
    const rowOf = (n: number) => searchRowid(FIRST + Math.floor(n / CASES), n % CASES)
    function* rows() {
      for (let n = 0; n <= last; n++)
        yield wordsRow(rowOf(n), rowScope({ project: 'many', suite: null }), {
          ...PLAIN,
          output: Object.keys(has).flatMap((word) => (has[word]?.(n) ? [word, 'mark'] : [])),
        })
    }
    await postgres.pool.withConnection(({ run }) => run(insertRows('search', VECTOR_COLUMNS, rows())))
    for (const [word, keep] of Object.entries(has))
      for (const q of [word, `${word}-mark`, `mark ${word}`])
        for (const from of [last + 1, 4_321])
          for (const count of [1, 50, 400]) {
            const match = searchMatch(words(q), EVERYTHING)
            const found = await postgres.pool.read(listNewest('case', match, Number(rowOf(from)), count))
            const wanted = Array.from({ length: from }, (_, i) => from - 1 - i)
              .filter(keep)
              .slice(0, count)
            expect(found, `${q} below ${from}`).toEqual(wanted.map((n) => Number(rowOf(n))))
          }
    await postgres.pool.withConnection(async ({ run }) => {
      for (let i = 0; i < COUNT; i++) for (const statement of deleteSearchRows(FIRST + i)) await run(statement)
    })
  })

  it('are those of the plain query and of the function of a version before, for terms of any frequency', async () => {
    const term = fc.oneof(
      fc.constantFrom(...terms, 'h', 'te', 'o', 'ne', 'co', 'zz'),
      fc.tuple(fc.constantFrom(...terms), fc.constantFrom('code', 'half', 'co')).map((pair) => pair.join('-')),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(term, { minLength: 2, maxLength: 3 }),
        fc.constantFrom(RUNS + 1, 8_000, 5_100, 300),
        fc.constantFrom(1, 50, MAX_RANKED_HITS),
        fc.boolean(),
        async (asked, from, count, isLimited) => {
          const visibility: Visibility = isLimited ? { hidden: [{ project: 'hidden', suite: null }] } : EVERYTHING
          const q = asked.join(' ')
          const match = searchMatch(words(q), visibility)
          const plain = conditionsOf(match.words.terms, match.scope)
          const rowids = (query: Typed<typeof Found>) =>
            postgres.pool.read(mapped(any(query), (rows) => rows.map(({ rowid }) => rowid)))
          const wanted = await rowids(sql.type(Found)`
            SELECT rowid FROM search
            WHERE words @@ CAST(${plain.words} AS tsquery) AND rowid < ${searchRowid(from, 0)}
              AND (CAST(${plain.phrases} AS tsquery[]) IS NULL OR words @@ ALL (CAST(${plain.phrases} AS tsquery[])))
            ORDER BY rowid DESC LIMIT ${count}`)
          expect(await postgres.pool.read(listNewest('case', match, Number(searchRowid(from, 0)), count)), q).toEqual(
            wanted,
          )
          expect(
            await rowids(sql.type(Found)`
              SELECT rowid FROM newest_of_search(
                CAST(${plain.words} AS tsquery), CAST(${plain.phrases} AS tsquery[]), CAST(NULL AS text[]),
                CAST(NULL AS text[]), CAST('{}' AS text[]), ${searchRowid(from, 0)}, ${count}) AS rowid`),
            q,
          ).toEqual(wanted)
        },
      ),
      // The last one has so many rows of the rarer term that the index has to look for both.
      {
        numRuns: runCount(40),
        examples: [
          [['hundredth', 'half'], RUNS + 1, 50, true],
          [['older', 'half'], RUNS + 1, 1, false],
        ],
      },
    )
  })

  it('of a rare word and the beginning of a common one read only the rows of the rare one', async () => {
    const [FIRST, COUNT, CASES] = [RUNS + 1, 1_000, 20]
    function* rows() {
      for (let run = 0; run < COUNT; run++)
        for (let n = 0; n < CASES; n++)
          yield wordsRow(searchRowid(FIRST + run, n), rowScope({ project: 'many', suite: null }), {
            ...PLAIN,
            // Many words with one beginning: the index has many pages of them.
            output: [`often${run}x${n}`, `oftener${n}y${run}`, ...(run % 100 === 0 && n === 0 ? ['seldom'] : [])],
          })
    }
    await postgres.pool.withConnection(({ run }) => run(insertRows('search', VECTOR_COLUMNS, rows())))
    // What was added last is in no order yet, and every search reads all of it.
    await postgres.pool.read(any(sql.type(Cleaned)`SELECT gin_clean_pending_list('search_by_word') AS pages`))
    const pagesOf = async (q: string, withTerms = true): Promise<number> => {
      const { words: wanted, terms: parts } = conditionsOf(words(q).terms, searchMatch(words(q), EVERYTHING).scope)
      const lines = await postgres.pool.read(
        any(sql.type(Line)`
          EXPLAIN (ANALYZE, BUFFERS)
          SELECT rowid FROM newest_of_search(
            CAST(${wanted} AS tsquery), CAST(${withTerms ? parts : null} AS tsquery[]), CAST(NULL AS tsquery), CAST(NULL AS tsquery[]),
            CAST(NULL AS text[]), CAST(NULL AS text[]), CAST('{}' AS text[]), ${2n ** 62n}, ${MAX_RANKED_HITS}) AS rowid`),
      )
      const text = lines.map((line) => line['QUERY PLAN']).join(' ')
      const [buffers = ''] = /Buffers: shared[ a-z=0-9]+/.exec(text) ?? []
      return Array.from(buffers.matchAll(/(?:hit|read)=(\d+)/g), ([, count]) => Number(count)).reduce(
        (a, b) => a + b,
        0,
      )
    }
    // A connection that is new reads pages of the catalog too: only the least of several counts is that of the search.
    const leastOf = async (...asked: Parameters<typeof pagesOf>): Promise<number> => {
      const counts: number[] = []
      for (let i = 0; i < 5; i++) counts.push(await pagesOf(...asked))
      return Math.min(...counts)
    }
    const alone = await leastOf('seldom')
    for (const q of ['seldom often', 'often seldom', 'seldom ofte oftener']) {
      expect(await leastOf(q), q).toBeLessThan(alone * 2)
      expect(await leastOf(q, false), q).toBeGreaterThan(alone * 4)
    }
    expect(await newest('seldom often', null, MAX_RANKED_HITS)).toHaveLength(10)
    await postgres.pool.withConnection(async ({ run }) => {
      for (let i = 0; i < COUNT; i++) for (const statement of deleteSearchRows(FIRST + i)) await run(statement)
    })
  })

  it('are empty in an empty index', async () => {
    const match = searchMatch(words('all'), EVERYTHING)
    expect(await postgres.pool.read(listNewest('run', match, null))).toEqual([])
    expect(await postgres.pool.read(listNewest('case', match, Number(searchRowid(0, null))))).toEqual([])
  })

  it('rank a word higher in the name or in a short text than in a long text', async () => {
    const filler = Array.from({ length: 300 }, (_, n) => `filler${n}`)
    const texts = {
      long: { output: [...filler, 'heavy'] },
      short: { output: ['heavy', 'heavy'] },
      named: { output: filler, name: ['heavy'] },
    }
    await postgres.pool.withConnection(({ run }) =>
      run(
        insertRows(
          'search',
          VECTOR_COLUMNS,
          Object.values(texts).map((text, n) =>
            wordsRow(searchRowid(0, n), rowScope({ project: null, suite: null }), { ...PLAIN, ...text }),
          ),
        ),
      ),
    )
    const rows = [2, 1, 0].map((n) => Number(searchRowid(0, n)))
    const scores = new Map(
      (await postgres.pool.read(listScores('case', words('heavy'), rows))).map(({ rowid, score }) => [rowid, score]),
    )
    const [named, short, long] = rows.map((rowid) => scores.get(rowid) ?? 0)
    expect(Number(named) < Number(long) && Number(short) < Number(long)).toBe(true)
  })

  // A store that was restored from tsvectors in text form must equal a replay of the log.
  it('come from tsvectors that equal the ones that PostgreSQL parses from their text form', async () => {
    const odd = [
      'a',
      'ab',
      'ß',
      '語',
      'ﬀ',
      'aﬀ',
      '\u{1d7d8}',
      'a\u{1d7d8}',
      'x'.repeat(2_000),
      '語'.repeat(1_001),
      '\u{1d7d8}'.repeat(700),
    ]
    const rows = Array.from({ length: 2 ** odd.length }, (_, bits) => odd.filter((_, i) => (bits >> i) % 2 === 1))
      .filter((_, bits) => bits % 7 === 0)
      .map((output, n) =>
        wordsRow(searchRowid(1_000_000 + n, 0), rowScope({ project: 'p', suite: null }, n % 2 === 0), {
          ...PLAIN,
          name: output.slice(2),
          output,
        }),
      )
    await postgres.pool.withConnection(({ run }) => run(insertRows('search', VECTOR_COLUMNS, rows)))
    const Alike = z.object({ count: z.number(), alike: z.number() })
    expect(
      await postgres.pool.read(
        one(sql.type(Alike)`
        SELECT count(*) AS count, count(*) FILTER (WHERE words = CAST(CAST(words AS text) AS tsvector)) AS alike
        FROM search WHERE rowid >= ${searchRowid(1_000_000, null)}`),
      ),
    ).toEqual({ count: rows.length, alike: rows.length })
  })
})
