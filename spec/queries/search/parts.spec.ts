import { afterAll, describe, expect, it } from 'vitest'
import { randomOf } from '../../../bench/documents.ts'
import type { CaseList } from '../../../queries/cases/cases.ts'
import type { CaseSearch } from '../../../queries/search/case-search.ts'
import type { RunSearch } from '../../../queries/search/run-search.ts'
import type { SearchHits } from '../../../queries/search/search.ts'
import { firstRow, MAX_RANKED_HITS, SEARCH_VERSION } from '../../../storage/search/search-index.ts'
import { aCase, aDocument, type ACase } from '../../support/documents/documents.ts'
import { readByRule, searchRule } from '../../support/search/search-rule.ts'
import { openApp, type Send } from '../../support/servers/app.ts'

afterAll(() => spec.close())
const spec = await openApp()

const search = async (q: string, send: Send = spec.sendAs('read'), limit = 200): Promise<SearchHits> => {
  const answer = await send('GET', `/search?limit=${limit}&q=${encodeURIComponent(q)}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<SearchHits>()
}
const keysOf = ({ cases }: SearchHits): string[] => cases.map(({ run_id, case_key }) => `${run_id} ${case_key}`).sort()

const RANDOM = randomOf(1)
const below = (n: number): number => Math.floor(RANDOM() * n)
const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T

/** Eight kinds of text. Few different pieces, so that texts share parts. */
const SCRIPTS: readonly (readonly string[])[] = [
  ['größe ', 'Straße', 'strasse ', 'Ｆｕｌｌ ', 'Crème', ' naïve', ' assert ', 'pass', 'ﬁne ', ' – ', '½ '],
  ['我们', '东京', '都', '的', '看', '，', '朋友', '明天', ' ', '京', '退货'],
  ['すし', 'タワー', 'ﾀﾜｰ', '東京', 'が', 'か', 'ー', '。', '々', 'N'],
  ['ราคา', 'สินค้า', 'ตัว', ' ', 'กา', '5'],
  ['한국', '어', '를', ' ', '가', '각', '사이', '상이'],
  ['ال', 'كتاب', 'كتب', ' ', 'و', 'ـ', 'مَ', '٣'],
  ['בבית', 'ה', 'ספר', ' ', 'של', 'שָׁ'],
  [
    'C++',
    ' C# ',
    'c',
    '++',
    'foo::bar ',
    'a.b',
    '1525dd4fe234 ',
    'dd4f',
    '9A',
    'BCDEF ',
    '🎉',
    '👩\u200d💻',
    ' € ',
    '→',
    '_',
    '█',
  ],
]
const randomText = (): string => {
  const script = pick(SCRIPTS)
  return Array.from({ length: 1 + below(12) }, () => pick(below(8) === 0 ? pick(SCRIPTS) : script)).join('')
}

describe('a search of the store', () => {
  it('finds what a scan by its rule finds, in 5,000 texts of eight scripts', async () => {
    const stored: Array<{ readonly run_id: string; readonly item: ACase; readonly text: string }> = []
    for (let run = 0; run < 10; run++) {
      const run_id = `texts-${run}`
      const cases = Array.from({ length: 500 }, (_, n) => {
        const text = randomText()
        const item = aCase({ cell: { test_id: `t${n}` }, output: text, asserts: [] })
        stored.push({ run_id, item, text })
        return item
      })
      await spec.ingest(aDocument({ run_id, project: null, suite: null, cases }))
    }
    const parts = (): string => {
      const characters = Array.from(pick(stored).text)
      const from = below(characters.length)
      return characters.slice(from, from + 1 + below(7)).join('')
    }
    let exact = 0
    const ruled = stored.map(({ run_id, item, text }) => ({
      key: `${run_id} ${item.case_key}`,
      byRule: searchRule([text], [item.case_key, item.cell.test_id]),
    }))
    for (let n = 0; n < 400; n++) {
      const q = n % 4 === 0 ? `${parts()} ${parts()}` : parts()
      const isFound = readByRule(q)
      const expected = ruled.flatMap(({ key, byRule }) => (isFound(byRule) ? [key] : [])).sort()
      // The rest of the hits of a common part is not worth its time.
      const isWhole = expected.length <= 100
      const found = keysOf(await search(q, spec.sendAs('read'), isWhole ? 200 : 5))
      if (isWhole && expected.length > 0) exact++
      if (isWhole) expect(found, JSON.stringify(q)).toEqual(expected)
      else expect([found.length, found.every((key) => expected.includes(key))], JSON.stringify(q)).toEqual([5, true])
    }
    expect(exact).toBeGreaterThan(100)
  })
})

describe('what is found from any part of it', () => {
  const TEXTS = {
    chinese: '我们明天去东京都看朋友',
    japanese: '今日は東京タワーへ行きました',
    thai: 'ราคาสินค้าทั้งหมด',
    korean: '저는 한국어를 공부합니다',
    arabic: 'قرأت الكتاب أمس',
    hebrew: 'הלכתי לבית הספר',
    cpp: 'written in C++ and not in C#',
    csharp: 'written in C# alone',
    c: 'written in c alone',
    path: 'call foo::bar of a.b.c in test_id',
    emoji: 'done 🎉🚀 at last',
    hash: 'commit 1525dd4fe2341b7c9d0e of main',
    german: 'in der Hauptstraße',
    wide: 'ＦＵＬＬ ｗｉｄｔｈ',
  }
  type Name = keyof typeof TEXTS
  const RUN = 'parts'
  it('is uploaded', () =>
    spec.ingest(
      aDocument({
        run_id: RUN,
        project: 'parts',
        cases: Object.entries(TEXTS).map(([name, output]) =>
          aCase({ cell: { test_id: name }, name, output, asserts: [] }),
        ),
      }),
    ))
  const tests = async (q: string) =>
    (await spec.getJson<CaseSearch>(`/search/cases?project=parts&limit=50&q=${encodeURIComponent(q)}`)).tests
  const found = async (q: string): Promise<string[]> => (await tests(q)).map(({ name }) => name ?? '').sort()
  const within = async (q: string): Promise<string[]> =>
    (await spec.getJson<CaseList>(`/runs/${RUN}/cases?q=${encodeURIComponent(q)}`)).cases
      .map(({ name }) => name ?? '')
      .sort()

  it.each([
    ['东京', 'chinese'],
    ['朋友', 'chinese'],
    ['京', 'chinese', 'japanese'],
    ['タワー', 'japanese'],
    ['ﾀﾜｰ', 'japanese'],
    ['สินค้า', 'thai'],
    ['국어', 'korean'],
    ['كتاب', 'arabic'],
    ['ספר', 'hebrew'],
    ['C++', 'cpp'],
    ['c#', 'cpp', 'csharp'],
    ['Ｃ＃', 'cpp', 'csharp'],
    ['foo::bar', 'path'],
    ['a.b.c', 'path'],
    ['🎉', 'emoji'],
    ['🚀', 'emoji'],
    ['dd4fe234', 'hash'],
    ['DD4FE234', 'hash'],
    ['hauptstrasse', 'german'],
    ['HAUPTSTRASSE', 'german'],
    ['full', 'wide'],
  ] satisfies Array<[q: string, ...expected: Name[]]>)(
    '%j is found in the store, and in the same cases of a run',
    async (q, ...expected) => {
      expect(await found(String(q))).toEqual(expected)
      expect(await within(String(q))).toEqual(expected)
    },
  )

  it('is marked in the excerpt, and nothing else', async () => {
    const snippetOf = async (q: string): Promise<string | undefined> => (await tests(q))[0]?.snippet
    expect(await snippetOf('东京')).toBe('我们明天去\ue000东京\ue001都看朋友')
    expect(await snippetOf('c++')).toBe('written in \ue000C++\ue001 and not in C#')
    expect(await snippetOf('🎉')).toBe('done \ue000🎉\ue001🚀 at last')
    expect(await snippetOf('dd4fe234')).toBe('commit 1525\ue000dd4fe234\ue0011b7c9d0e of main')
    expect(await snippetOf('hauptstrasse')).toBe('in der \ue000Hauptstraße\ue001')
    expect(await snippetOf('hauptstrasse der')).toBe('in \ue000der\ue001 \ue000Hauptstraße\ue001')
  })

  it('is found together with words', async () => {
    expect(await found('written C++')).toEqual(['cpp'])
    expect(await found('alone C++')).toEqual([])
    expect(await found('"C#" alone')).toEqual(['csharp'])
  })
})

it('is found in a case with as much text and as many parts as the index takes', async () => {
  const characters = Array.from({ length: 60_000 }, (_, n) => String.fromCodePoint(0x20000 + ((n * 7919) % 42_000)))
  // Words with digits would be ids.
  const wordOf = (n: number): string => Array.from(String(n), (digit) => 'abcdefghij'.charAt(Number(digit))).join('')
  const words = Array.from({ length: 90_000 }, (_, n) => wordOf(n))
  const long = aCase({
    cell: { test_id: 'long' },
    name: words.slice(0, 20_000).join(' '),
    output: words.slice(20_000).join(' '),
    // Long enough for positions that repeat, and for rows that PostgreSQL stores in several parts.
    error: `${'东京🎉 '.repeat(300)}${characters.slice(0, 30_000).join('')}。${characters.slice(30_000).join('')}`,
    asserts: [],
  })
  await spec.ingest(aDocument({ run_id: 'long-parts', project: 'long', cases: [long] }))
  const cases = async (q: string) =>
    (await spec.getJson<CaseSearch>(`/search/cases?project=long&q=${encodeURIComponent(q)}`)).case_count
  for (const from of [0, 12_345, 29_990, 30_000, 33_333])
    expect(await cases(characters.slice(from, from + 8).join('')), String(from)).toBe(1)
  expect(await cases(characters.slice(29_996, 30_004).join(''))).toBe(0)
  expect(await cases('京🎉')).toBe(1)
  expect(await cases('🎉东')).toBe(0)
  expect(await cases(wordOf(19_999))).toBe(1)
})

it('says that it is not complete, and finds words, while older rows have no grams', async () => {
  await spec.execute("UPDATE projections SET version = 2 WHERE name = 'search'")
  expect(await spec.getJson<CaseSearch>('/search/cases?q=我们明&project=parts')).toMatchObject({
    complete: false,
    case_count: 1,
  })
  // As an earlier version wrote it: without its id.
  await spec.ingest(aDocument({ run_id: 'early-1', project: 'early', suite: null, cases: [] }))
  const [run_no] = await spec.column("SELECT run_no FROM runs WHERE id = 'early-1'")
  await spec.execute(`DELETE FROM run_search WHERE rowid = ${firstRow(Number(run_no))}`)
  expect((await search('early-1')).runs.map(({ id }) => id)).toEqual(['early-1'])
  expect(await spec.getJson<CaseSearch>('/search/cases?q=ours')).toMatchObject({ complete: true, case_count: 0 })
  await spec.execute(`UPDATE projections SET version = ${SEARCH_VERSION} WHERE name = 'search'`)
  expect(await spec.getJson<CaseSearch>('/search/cases?q=我们明天&project=parts')).toMatchObject({ complete: true })
})

describe('an id', () => {
  const ids = async (q: string, send?: Send) => {
    const { runs, cases } = await search(q, send)
    return { runs: runs.map(({ id }) => id), cases: cases.map(({ run_id, case_key }) => `${run_id} ${case_key}`) }
  }
  const [first, second] = ['django__django-11099', 'django__django-11099-b'].map((test_id) =>
    aCase({ cell: { test_id } }),
  )
  const key = first?.case_key ?? ''

  it('of a run, a case or a test finds it, the whole id first', async () => {
    for (const run_id of ['2026-05-04T09-00_a1', '2026-05-04T09-00_a1b'])
      await spec.ingest(aDocument({ run_id, project: 'ids', suite: null, cases: [first, second] as ACase[] }))
    expect((await ids('2026-05-04T09-00_a1')).runs).toEqual(['2026-05-04T09-00_a1', '2026-05-04T09-00_a1b'])
    expect((await ids('2026-05-04t09-00_A1B')).runs).toEqual(['2026-05-04T09-00_a1b'])
    expect((await ids('2026-05-04T09')).runs).toHaveLength(2)
    expect((await ids('026-05-04T09-00_a1')).runs).toEqual([])
    expect((await ids(key)).cases).toEqual([`2026-05-04T09-00_a1b ${key}`, `2026-05-04T09-00_a1 ${key}`])
    expect((await ids('django__django-11099')).cases.slice(0, 2)).toEqual([
      `2026-05-04T09-00_a1b ${key}`,
      `2026-05-04T09-00_a1 ${key}`,
    ])
    expect((await ids('django__django-11099')).cases).toHaveLength(4)
    const page = await spec.getJson<CaseSearch>(`/search/cases?q=django__django-11099`)
    expect(page.tests.map(({ test_id, field, snippet }) => [test_id, field, snippet])).toEqual([
      ['django__django-11099', 'id', '\ue000django__django-11099\ue001'],
      ['django__django-11099-b', 'id', '\ue000django__django-11099\ue001-b'],
    ])
    const runs = await spec.getJson<RunSearch>('/search/runs?q=2026-05-04T09-00_a1')
    expect(runs).toMatchObject({ run_count: 2, runs: [{ id: '2026-05-04T09-00_a1' }, { id: '2026-05-04T09-00_a1b' }] })
    expect(runs.runs[1]?.snippet).toBe('\ue0002026-05-04T09-00_a1b\ue001')
  })

  it('is first also if more newer cases than a window holds begin with it, and on one page alone', async () => {
    const aRun = (run_id: string, test_ids: readonly string[]) =>
      spec.ingest(
        aDocument({
          run_id,
          project: 'windows',
          suite: null,
          cases: test_ids.map((test_id) => aCase({ cell: { test_id } })),
        }),
      )
    const newer = Array.from({ length: MAX_RANKED_HITS + 100 }, (_, n) => `probe-77${n}`)
    await aRun('windows-old', ['probe-7', 'probe-700'])
    await aRun('windows-new', newer)
    const seen: Array<string | null> = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: CaseSearch = await spec.getJson<CaseSearch>(
        `/search/cases?q=probe-7&project=windows&limit=50&cursor=${cursor}`,
      )
      seen.push(...page.tests.map(({ test_id }) => test_id))
      cursor = page.next_cursor
    }
    expect(seen[0]).toBe('probe-7')
    expect(seen.toSorted()).toEqual(['probe-7', 'probe-700', ...newer].toSorted())
  })

  it('of a hidden run does not exist', async () => {
    const viewer = await spec.addUser('id-searcher')
    await spec.restrict('hidden-ids')
    const queries = [
      'secret-0001',
      'secret',
      'secret-',
      'zz__hidden-7',
      aCase({ cell: { test_id: 'zz__hidden-7' } }).case_key,
    ]
    const read = (q: string) =>
      Promise.all(
        ['/search', '/search/cases', '/search/runs'].map(
          async (path) => (await viewer.send('GET', `${path}?q=${encodeURIComponent(q)}`)).body,
        ),
      )
    const before = await Promise.all(queries.map(read))
    await spec.ingest(
      aDocument({
        run_id: 'secret-0001',
        project: 'hidden-ids',
        cases: [aCase({ cell: { test_id: 'zz__hidden-7' } })],
      }),
      { caller: 'admin' },
    )
    expect(await Promise.all(queries.map(read))).toEqual(before)
    expect((await ids('secret-0001', spec.sendAs('admin'))).runs).toEqual(['secret-0001'])
  })
})
