import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLI } from '../../../queries/access/viewer.ts'
import { searchAll, type SearchHits } from '../../../queries/search/search.ts'
import { openPool } from '../../../storage/postgres/pool.ts'
import { searchRowid, rowScope, SEARCH_COLUMNS, VECTOR_COLUMNS } from '../../../storage/search/search-index.ts'
import { connect } from '../../../storage/sqlite/connection.ts'
import { insertRows } from '../../../storage/sql.ts'
import type { Reader, Statement } from '../../../storage/storage.ts'
import { wordsRow } from '../../support/search/words-row.ts'
import { openApp } from '../../support/servers/app.ts'
import { aCase, aDocument, realDocuments, theExample } from '../../support/documents/documents.ts'

afterAll(() => spec.close())

const search = (q: string, query = ''): Promise<SearchHits> =>
  spec.getJson<SearchHits>(`/search?q=${encodeURIComponent(q)}${query}`)
const runsFound = async (q: string, query = '') => (await search(q, query)).runs.map(({ id }) => id).sort()
const casesFound = async (q: string, query = '') =>
  (await search(q, query)).cases.map(({ run_id, case_key }) => `${run_id}/${case_key}`).sort()
/** Writes to the tables without the service. */
const write = async (statement: Statement): Promise<void> => {
  if (spec.databaseUrl === null) {
    const connection = connect(join(spec.dataDir, 'service.db'), { readonly: false })
    connection.database.transaction(() => connection.run(statement))()
    return connection.close()
  }
  const pool = await openPool({ url: spec.databaseUrl, connections: 1, statementTimeoutMs: 30_000 })
  await pool.withConnection(({ run }) => run(statement))
  await pool.close()
}
const plain = (snippet: string) => snippet.replace(/[\uE000\uE001]/g, '')
const spec = await openApp()

describe('the searched fields', () => {
  it('are project, suite, branch, commit, note and tags of a run', async () => {
    await spec.ingest(
      aDocument({
        run_id: 'meta',
        project: 'zebra',
        suite: 'yak',
        git: { branch: 'walrus', commit: 'c0ffee1' },
        origin: { note: 'vulture', actor: 'nobody', host: 'nohost' },
        filters: { tags: ['urchin', 'toad'] },
        ci: { provider: 'noci' },
        cases: [],
      }),
    )
    for (const word of ['zebra', 'yak', 'walrus', 'c0ffee1', 'vulture', 'urchin', 'toad'])
      expect(await runsFound(word), word).toEqual(['meta'])
    for (const word of ['meta', 'nobody', 'nohost', 'noci']) expect(await runsFound(word), word).toEqual([])
    expect((await search('zebra')).runs).toEqual([
      {
        id: 'meta',
        project: 'zebra',
        suite: 'yak',
        created_at: '2026-05-04T09:00:01+00:00',
        snippet: '\uE000zebra\uE001',
        cached: false,
      },
    ])
  })

  it('are name, prompt, output, error, tags and assertion reasons of a case', async () => {
    const one = aCase({
      name: 'alpaca',
      output: { animals: ['badger'] },
      error: 'cobra',
      tags: ['dingo'],
      asserts: [
        { kind: 'regex', status: 'pass', score: 1, weight: 1, reason: 'echidna', criteria: { value: 'nocriteria' } },
      ],
      prompt: {
        messages: [
          { role: 'user', content: 'ferret' },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'gibbon' },
              { type: 'thinking', thinking: 'nothinking' },
            ],
            tool_calls: [{ name: 'heron', arguments: { bird: 'ibis' } }],
          },
        ],
      },
      request: 'norequest',
      reasoning: 'noreasoning',
      raw: 'noraw',
      stop_reason: 'nostop',
      vars: { x: 'novars' },
    })
    await spec.ingest(aDocument({ run_id: 'fields', cases: [one] }))
    for (const word of [
      'alpaca',
      'animals',
      'badger',
      'cobra',
      'dingo',
      'echidna',
      'ferret',
      'gibbon',
      'heron',
      'ibis',
    ])
      expect(await casesFound(word), word).toEqual([`fields/${one.case_key}`])
    for (const word of [
      'nocriteria',
      'nothinking',
      'norequest',
      'noreasoning',
      'noraw',
      'nostop',
      'novars',
      'assistant',
    ])
      expect(await casesFound(word), word).toEqual([])
    expect((await search('badger')).cases).toEqual([
      {
        run_id: 'fields',
        case_key: one.case_key,
        name: 'alpaca',
        status: 'pass',
        project: 'chat',
        suite: 'smoke',
        snippet: '{"animals":["\uE000badger\uE001"]}',
        cached: false,
      },
    ])
    await spec.ingest(aDocument({ run_id: 'text-prompt', cases: [aCase({ prompt: { text: 'jackal' } })] }))
    expect(await casesFound('jackal')).toHaveLength(1)
  })

  it('are separate for runs and cases', async () => {
    expect(await casesFound('zebra')).toEqual([])
    expect(await runsFound('badger')).toEqual([])
  })
})

describe('a search query', () => {
  beforeAll(async () => {
    const outputs = [
      'The quick brown fox',
      'brown sugar',
      'Crème BRÛLÉE für zwölf',
      'error-code 404: not_found',
      'naïve',
      '日本語のテスト',
      'v1.2.3 released',
      'AND OR NOT NEAR',
      'ΟΔΟΣ',
      'x y',
    ]
    await spec.ingest(
      aDocument({
        run_id: 'texts',
        project: null,
        suite: null,
        cases: outputs.map((output, repeat) =>
          aCase({ cell: { repeat }, output, name: `number${repeat}`, asserts: [] }),
        ),
      }),
    )
  })
  const found = async (q: string) =>
    (await search(q)).cases
      .filter(({ run_id }) => run_id === 'texts')
      .map(({ name }) => Number(name?.replace('number', '')))
      .sort()

  it.each([
    ['brown', 0, 1],
    ['bro', 0, 1],
    ['rown'],
    ['BROWN fox', 0],
    ['fox brown', 0],
    ['fox sugar'],
    ['number1 sugar', 1],
    ['creme brulee', 2],
    ['CRÈME', 2],
    ['zwolf', 2],
    ['naive', 4],
    ['error-co', 3],
    ['code-error'],
    ['error-404'],
    ['"quick brown"', 0],
    ['"brown quick"', 0],
    ['not_found', 3],
    ['v1.2', 6],
    ['1.2'],
    ['日本', 5],
    ['οδοσ', 8],
    ['οδος', 8],
    ['AND', 7],
    ['brown AND'],
    ['x NOT y'],
    ['near(', 7],
    ['brown*', 0, 1],
    ['*brown', 0, 1],
    ['(brown)', 0, 1],
    ['output:brown'],
    ['{name}:brown'],
    ['^brown', 0, 1],
    ['-brown', 0, 1],
    ['  brown \t\n ! fox ', 0],
    ['brown -- ?', 0, 1],
  ] satisfies Array<[q: string, ...expected: number[]]>)('%j finds the expected cases', async (q, ...expected) => {
    expect(await found(String(q))).toEqual(expected)
  })

  it.each(['', ' ', '"', '""', '*', '()', '- + :', '\0', '🎉', "'; --"])(
    'without any word finds nothing: %j',
    async (q) => {
      expect(await search(q)).toEqual({ runs: [], cases: [] })
    },
  )

  it('never fails, for any text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom(...'brown AND OR NOT NEAR "*^:(){}[]-+,.;\'\\', 'scope', 'kindrun') }),
        ),
        async (q) => {
          await search(q.toWellFormed())
        },
      ),
    )
    expect(await search(`${'brown '.repeat(2000)}`)).toBeDefined()
  })

  it('never matches the index tokens that separate runs from cases', async () => {
    for (const q of ['kindrun', 'kindcase', 'scope:kindrun']) expect(await search(q)).toEqual({ runs: [], cases: [] })
  })

  it('finds real outputs by the prefixes of their words', async () => {
    for (const { bytes } of realDocuments().filter(({ name }) => name.startsWith('inspect/'))) await spec.ingest(bytes)
    const cases = (await spec.sendAs('read')('GET', '/runs?project=inspect'))
      .json<{ runs: Array<{ id: string }> }>()
      .runs.slice(0, 4)
    for (const { id } of cases) {
      const rows = (await spec.sendAs('read')('GET', `/runs/${encodeURIComponent(id)}/cases?limit=3`)).json<{
        cases: Array<{ case_key: string; output_preview: string | null }>
      }>().cases
      for (const { case_key, output_preview } of rows) {
        const words = (output_preview ?? '').match(/\p{L}{5,}/gu)?.slice(0, 4) ?? []
        // The preview may end within a word: a prefix is enough.
        if (words.length > 0)
          expect((await search(words.join(' '), '&limit=200')).cases.map((hit) => hit.case_key)).toContain(case_key)
      }
    }
  })
})

describe('a search without a hit', () => {
  const readsOf = async (q: string): Promise<number> => {
    let reads = 0
    const { reader, documents } = spec.service
    const counted: Reader = {
      ...reader,
      read: (query) => {
        if (query.token !== null) reads++
        return reader.read(query)
      },
    }
    expect(await searchAll(counted, documents, CLI, { q, limit: 50 })).toEqual({ runs: [], cases: [] })
    return reads
  }

  it('does not look for an id, because what has it has the words too', async () => {
    // The version of the index, and on SQLite the words that begin with each of three forms, of runs and of cases.
    const lookups = spec.service.reader.dialect === 'sqlite' ? 6 : 0
    expect(await readsOf('qqnone7')).toBe(1 + lookups + 2)
    expect(await readsOf('qqnone')).toBe(lookups / 3 + 2)
  })
})

describe('snippets', () => {
  it('show about twelve tokens around the match, with marks for cuts and matches', async () => {
    const words = Array.from({ length: 60 }, (_, n) => `word${n}x`)
    await spec.ingest(aDocument({ run_id: 'long', cases: [aCase({ output: words.join(' ') })] }))
    const [hit] = (await search('word30x')).cases
    expect(hit?.snippet).toMatch(/^….*\uE000word30x\uE001.*…$/s)
    expect(plain(hit?.snippet ?? '').match(/word\d+x/g)?.length).toBeLessThanOrEqual(12)
    expect((await search('word0x')).cases[0]?.snippet).toMatch(/^\uE000word0x\uE001 .*…$/s)
    expect((await search('word59x')).cases[0]?.snippet).toMatch(/^….* \uE000word59x\uE001$/s)
  })

  it('mark the whole word that a folded prefix matches, in its original spelling', async () => {
    await spec.ingest(aDocument({ run_id: 'spelling', cases: [aCase({ output: 'Große ÜBERRASCHUNG!', asserts: [] })] }))
    expect((await search('uberr')).cases[0]?.snippet).toBe('Große \uE000ÜBERRASCHUNG\uE001!')
  })

  it('are well-formed and hold a match, for every hit in real documents', async () => {
    for (const word of ['the', 'write', 'python', 'file']) {
      const { runs, cases } = await search(word, '&limit=50')
      for (const { snippet } of [...runs, ...cases]) {
        expect(snippet).toMatch(/\uE000[^\uE000\uE001]+\uE001/)
        expect(snippet.isWellFormed()).toBe(true)
      }
    }
  })
})

describe('the hits of a search', () => {
  it('are limited in each group separately, 50 by default, 200 at most', async () => {
    for (let n = 0; n < 60; n++)
      await spec.ingest(
        aDocument({
          run_id: `bulk-${n}`,
          suite: 'bulkword',
          cases: Array.from({ length: 4 }, (_, repeat) => aCase({ cell: { repeat }, output: 'bulkword' })),
        }),
      )
    const size = async (query: string) => {
      const { runs, cases } = await search('bulkword', query)
      return [runs.length, cases.length]
    }
    expect([
      await size(''),
      await size('&limit=0'),
      await size('&limit=7'),
      await size('&limit=200'),
      await size('&limit=999'),
    ]).toEqual([
      [50, 50],
      [1, 1],
      [7, 7],
      [60, 200],
      [60, 200],
    ])
  })

  it('are filtered by the cache use of the owning run, before the limit', async () => {
    const hit = (cached: boolean, repeat = 0) => aCase({ cell: { repeat }, cached, output: 'cachedword' })
    await spec.ingest(aDocument({ run_id: 'fresh', suite: 'cachedword', cases: [hit(false)] }))
    await spec.ingest(aDocument({ run_id: 'partly', suite: 'cachedword', cases: [hit(true), hit(false, 1)] }))
    for (let n = 0; n < 5; n++)
      await spec.ingest(aDocument({ run_id: `fully-${n}`, suite: 'cachedword', cases: [hit(true)] }))
    expect(await runsFound('cachedword', '&cached=exclude&limit=2')).toEqual(['fresh', 'partly'])
    expect(await runsFound('cachedword', '&cached=only')).toEqual([
      'fully-0',
      'fully-1',
      'fully-2',
      'fully-3',
      'fully-4',
    ])
    expect(await runsFound('cachedword', '&cached=all')).toHaveLength(7)
    expect(await casesFound('cachedword', '&cached=exclude')).toHaveLength(3)
    expect(await casesFound('cachedword', '&cached=only')).toHaveLength(5)
    const { runs, cases } = await search('cachedword', '&cached=exclude')
    expect(runs.every(({ cached }) => cached === false)).toBe(true)
    // `cached` of a case hit is about that case, of a run hit about the whole run.
    expect(
      cases
        .filter(({ run_id }) => run_id === 'partly')
        .map(({ cached }) => cached)
        .sort(),
    ).toEqual([false, true])
    expect((await search('cachedword', '&cached=only')).runs.every(({ cached }) => cached === true)).toBe(true)
  })

  it('rank a short field full of the word above a long one that mentions it', async () => {
    const filler = Array.from({ length: 300 }, (_, n) => `filler${n}`).join(' ')
    await spec.ingest(
      aDocument({ run_id: 'rank-long', cases: [aCase({ output: `${filler} rankword ${filler}`, asserts: [] })] }),
    )
    await spec.ingest(aDocument({ run_id: 'rank-short', cases: [aCase({ output: 'rankword rankword', asserts: [] })] }))
    expect((await search('rankword')).cases.map(({ run_id }) => run_id)).toEqual(['rank-short', 'rank-long'])
  })

  it('of very common words are ranked by matches in short fields, then newest first', async () => {
    // These rows belong to no run and are older than all others. They make the word common and are never shown.
    await write({
      ...insertRows(
        'search',
        SEARCH_COLUMNS,
        (function* () {
          for (let n = 0; n < 10_100; n++) yield [searchRowid(0, n), '', '', '', '', '', 'commonword', '']
        })(),
      ),
      postgres: insertRows(
        'search',
        VECTOR_COLUMNS,
        (function* () {
          const none = { name: [], tags: [], error: [], reasons: [], prompt: [] }
          for (let n = 0; n < 10_100; n++)
            yield wordsRow(searchRowid(0, n), rowScope({ project: null, suite: null }), {
              ...none,
              output: ['commonword'],
            })
        })(),
      ),
    })
    const ingest = (run_id: string, fields: object) =>
      spec.ingest(aDocument({ run_id, cases: [aCase({ output: 'plain', ...fields })] }))
    await ingest('named', { name: 'it is commonwords' })
    await ingest('tagged', { tags: ['commonword'] })
    await ingest('failed', { error: 'commonword' })
    await ingest('older', { output: 'commonword commonword commonword' })
    await ingest('newer', { output: `${'filler '.repeat(300)} commonword` })
    const { cases } = await search('commonword')
    expect(cases.map(({ run_id }) => run_id)).toEqual(['named', 'tagged', 'failed', 'newer', 'older'])
    expect((await search('commonword', '&limit=2')).cases.map(({ run_id }) => run_id)).toEqual(['named', 'tagged'])
    expect((await search('commonword plain')).cases.map(({ run_id }) => run_id)).toEqual(['named', 'tagged', 'failed'])
  })

  it('are found by a prefix, however many words have it', async () => {
    const words = Array.from({ length: 60 }, (_, n) => `manyendings${String(n).padStart(2, '0')}`)
    await spec.ingest(
      aDocument({ run_id: 'endings', cases: words.map((word, repeat) => aCase({ cell: { repeat }, output: word })) }),
    )
    expect((await search('manyendings', '&limit=200')).cases).toHaveLength(60)
    expect((await search('manyendings', '&limit=10')).cases).toHaveLength(10)
    expect((await search('manyendings5', '&limit=200')).cases).toHaveLength(10)
    expect((await search('manyendings59')).cases).toHaveLength(1)
  })

  it('are found in the worked example', async () => {
    await spec.ingest(theExample())
    expect(await runsFound('refund answers')).toEqual([theExample().run_id])
    expect((await search('voucher')).cases).toEqual([])
    expect((await search('"States the window"')).cases.map(({ case_key }) => case_key)).toEqual(['07f1c0919d4689f8'])
  })

  it('disappear immediately with their run, and the next hits take their place', async () => {
    for (const run_id of ['kept', 'dropped'])
      await spec.ingest(aDocument({ run_id, suite: 'goneword', cases: [aCase({ output: 'goneword', cached: true })] }))
    expect(await runsFound('goneword')).toEqual(['dropped', 'kept'])
    expect((await spec.sendAs('admin')('DELETE', '/runs/dropped')).statusCode).toBe(204)
    for (const query of ['', '&cached=only', '&limit=1']) {
      expect(await runsFound('goneword', query), query).toEqual(['kept'])
      expect(await casesFound('goneword', query), query).toEqual([`kept/${aCase().case_key}`])
    }
    expect(await search('goneword', '&cached=exclude')).toEqual({ runs: [], cases: [] })
    await spec.sendAs('admin')('DELETE', '/runs/kept')
    expect(await search('goneword')).toEqual({ runs: [], cases: [] })
  })
})
