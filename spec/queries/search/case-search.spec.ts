import { afterAll, describe, expect, it } from 'vitest'
import type { CaseSearch } from '../../../queries/search/case-search.ts'
import { openApp, type Send } from '../../support/servers/app.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'

afterAll(() => spec.close())

const search = async (query: string, send: Send = spec.sendAs('read')): Promise<CaseSearch> => {
  const answer = await send('GET', `/search/cases?${query}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<CaseSearch>()
}
const cursorOf = (place: readonly unknown[]): string => Buffer.from(JSON.stringify(place)).toString('base64url')
const placeOf = ({ next_cursor }: CaseSearch): unknown =>
  JSON.parse(Buffer.from(next_cursor ?? '', 'base64url').toString())
const names = ({ tests }: CaseSearch) => tests.map(({ suite, test_id }) => `${suite}/${test_id}`).sort()
const spec = await openApp()
for (const [n, suite] of ['smoke', 'smoke', 'deep'].entries())
  await spec.ingest(
    aDocument({
      run_id: `run-${n}`,
      suite,
      origin: { note: `note ${n}` },
      finished_at: new Date(Date.UTC(2026, 4, 1 + n)).toISOString(),
      cases: [
        aCase({ cell: { test_id: 'common' }, output: 'A walrus swims.', status: n === 0 ? 'fail' : 'pass' }),
        aCase({ cell: { test_id: `own-${n}` }, output: 'nothing', name: n === 1 ? 'The walrus' : 'Other' }),
        aCase({
          cell: { test_id: 'graded' },
          asserts: [
            { kind: 'contains', status: 'fail', score: 0, weight: 1, reason: n === 2 ? 'No walrus here' : 'x' },
          ],
          status: 'fail',
        }),
      ],
    }),
  )
// More matches than one window holds.
for (let n = 0; n < 3; n++)
  await spec.ingest(
    aDocument({
      run_id: `many-${n}`,
      project: 'long',
      cases: Array.from({ length: 600 }, (_, i) => aCase({ cell: { test_id: `test-${i}` }, output: 'an ibex climbs' })),
    }),
  )

describe('a search for cases', () => {
  it('folds the cases of a test, and counts them by suite and by status', async () => {
    const found = await search('q=walrus')
    expect(names(found)).toEqual(['deep/common', 'deep/graded', 'smoke/common', 'smoke/own-1'])
    expect(found).toMatchObject({ case_count: 5, test_count: 4, more: false, next_cursor: null })
    expect(found.facets).toEqual({
      suites: [
        { project: 'chat', suite: 'smoke', count: 3 },
        { project: 'chat', suite: 'deep', count: 2 },
      ],
      statuses: [
        { status: 'pass', count: 3 },
        { status: 'fail', count: 2 },
      ],
    })
    const common = found.tests.find(({ suite, test_id }) => suite === 'smoke' && test_id === 'common')
    expect(common).toMatchObject({ field: 'output', counts: { pass: 1, fail: 1 } })
    expect(common?.snippet).toBe('A \ue000walrus\ue001 swims.')
    expect(common?.cases.map(({ run_id, run_note }) => [run_id, run_note])).toEqual([
      ['run-1', 'note 1'],
      ['run-0', 'note 0'],
    ])
  })

  it('names the field that contains the words', async () => {
    const { tests } = await search('q=walrus')
    expect(Object.fromEntries(tests.map(({ suite, test_id, field }) => [`${suite}/${test_id}`, field]))).toEqual({
      'deep/common': 'output',
      'deep/graded': 'reason',
      'smoke/common': 'output',
      'smoke/own-1': 'name',
    })
  })

  it('is filtered by project, suite and status; a facet ignores its own filter', async () => {
    expect(names(await search('q=walrus&suite=deep'))).toEqual(['deep/common', 'deep/graded'])
    const failed = await search('q=walrus&status=fail')
    expect(names(failed)).toEqual(['deep/graded', 'smoke/common'])
    expect(failed.facets.statuses).toHaveLength(2)
    expect(names(await search('q=walrus&project=long'))).toEqual([])
    expect(names(await search('q=walrus&project=chat&suite=smoke&status=pass'))).toEqual([
      'smoke/common',
      'smoke/own-1',
    ])
    expect(names(await search('q=+'))).toEqual([])
  })

  it('has every test on its pages, window after window', async () => {
    const cases = new Set<string>()
    let pages = 0
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const page: CaseSearch = await search(`q=ibex&limit=50&cursor=${cursor}`)
      for (const test of page.tests) for (const { run_id, case_key } of test.cases) cases.add(`${run_id} ${case_key}`)
      cursor = page.next_cursor
    }
    expect(cases.size).toBe(1800)
    expect(pages).toBeGreaterThan(12)
    expect(await search('q=ibex')).toMatchObject({ case_count: 1000, more: true })
    const first = (await search('q=ibex')).tests
    expect((await search('q=ibex&cursor=junk')).tests).toEqual(first)
    for (const place of [
      ['many-0', 5.5, 0],
      ['many-0', -1, 0],
      ['many-0', 1e12, 0],
      ['none', 5, 0],
      ['', 0, -1],
    ])
      expect((await search(`q=ibex&cursor=${cursorOf(place)}`)).tests, String(place)).toEqual(first)
  })

  it('has cursors that name a visible case, and starts with the first page after a hidden one', async () => {
    const viewer = await spec.addUser('reader')
    for (let n = 0; n < 2; n++)
      await spec.ingest(
        aDocument({
          run_id: `tern-${n}`,
          project: `terns-${n}`,
          cases: Array.from({ length: 600 }, (_, repeat) => aCase({ cell: { repeat }, output: 'a tern' })),
        }),
      )
    const first = await search('q=tern', viewer.send)
    expect(placeOf(first)).toEqual(['tern-0', 200, 0])
    const second = await search(`q=tern&cursor=${first.next_cursor}`, viewer.send)
    expect(second).toMatchObject({ case_count: 200, next_cursor: null })
    await spec.restrict('terns-0')
    const visible = await search('q=tern', viewer.send)
    expect(visible).toMatchObject({ case_count: 600, next_cursor: null })
    expect(await search(`q=tern&cursor=${first.next_cursor}`, viewer.send)).toEqual(visible)
  })

  it('counts each word alone, with the same filters, if nothing contains all words', async () => {
    expect((await search('q=walrus+zebra+ibex+zebra')).words).toEqual([
      { word: 'walrus', case_count: 5, more: false },
      { word: 'zebra', case_count: 0, more: false },
      { word: 'ibex', case_count: 1_000, more: true },
    ])
    expect((await search('q=walrus+zebra&status=fail&suite=deep')).words).toEqual([
      { word: 'walrus', case_count: 1, more: false },
      { word: 'zebra', case_count: 0, more: false },
    ])
    for (const q of ['walrus', 'walrus+swims', 'zebra', 'Zebra+zebra', 'walrus+.'])
      expect((await search(`q=${q}`)).words, q).toBeNull()
  })

  it('has no hidden case, and hidden cases change no byte', async () => {
    const viewer = await spec.addUser('searcher')
    await spec.restrict('secret')
    const before = (await viewer.send('GET', '/search/cases?q=walrus')).body
    const wordsBefore = (await viewer.send('GET', '/search/cases?q=walrus+zebra')).body
    await spec.ingest(aDocument({ run_id: 'hidden', project: 'secret', cases: [aCase({ output: 'walrus walrus' })] }), {
      caller: 'admin',
    })
    expect((await viewer.send('GET', '/search/cases?q=walrus')).body).toBe(before)
    expect((await viewer.send('GET', '/search/cases?q=walrus+zebra')).body).toBe(wordsBefore)
    for (const filter of ['project=secret', 'project=secret&suite=smoke', 'suite=smoke&status=pass'])
      expect((await viewer.send('GET', `/search/cases?q=walrus&${filter}`)).body).not.toContain('secret')
    expect((await search('q=walrus', spec.sendAs('admin'))).case_count).toBe(6)
    await spec.grant('searcher', 'view', 'secret')
    expect((await search('q=walrus&project=secret', viewer.send)).case_count).toBe(1)
  })
})
