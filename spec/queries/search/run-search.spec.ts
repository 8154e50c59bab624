import { afterAll, describe, expect, it } from 'vitest'
import type { RunSearch } from '../../../queries/search/run-search.ts'
import type { SearchHits } from '../../../queries/search/search.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openApp, type Send } from '../../support/servers/app.ts'

const ingest = (run_id: string, project: string, suite: string, note: string): Promise<unknown> =>
  spec.ingest(aDocument({ run_id, project, suite, origin: { note }, cases: [aCase({ output: 'x' })] }), {
    caller: 'admin',
  })
afterAll(() => spec.close())

const search = async (query: string, send: Send = spec.sendAs('read')): Promise<RunSearch> => {
  const answer = await send('GET', `/search/runs?${query}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<RunSearch>()
}
const ids = ({ runs }: RunSearch): string[] => runs.map(({ id }) => id).sort()
const cursorOf = (place: readonly unknown[]): string => Buffer.from(JSON.stringify(place)).toString('base64url')
const spec = await openApp()
for (let n = 0; n < 2; n++) await ingest(`old-${n}`, 'chat', 'deep', `walrus ${n}`)
for (let n = 0; n < 8; n++) await ingest(`new-${n}`, n < 4 ? 'chat' : 'mail', 'smoke', `walrus ${n}`)

describe('a search for runs', () => {
  it('finds the runs of the general search, with the same fields', async () => {
    const found = await search('q=walrus')
    expect(found).toMatchObject({ run_count: 10, more: false, next_cursor: null })
    const general = (await spec.sendAs('read')('GET', '/search?q=walrus')).json<SearchHits>()
    expect(found.runs).toEqual(general.runs)
    expect(found.runs[0]?.snippet).toContain('\ue000walrus\ue001')
    expect(await search('q=+')).toEqual({ runs: [], run_count: 0, more: false, next_cursor: null })
  })

  it('applies filters before it cuts a page', async () => {
    expect(await search('q=walrus&suite=deep&limit=1')).toMatchObject({ run_count: 2, runs: [{ suite: 'deep' }] })
    expect(ids(await search('q=walrus&suite=deep&limit=2'))).toEqual(['old-0', 'old-1'])
    expect((await search('q=walrus&project=mail')).run_count).toBe(4)
    expect((await search('q=walrus&project=chat&suite=smoke')).run_count).toBe(4)
    expect((await search('q=walrus&project=none')).run_count).toBe(0)
  })

  it('has every run on one page', async () => {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: RunSearch = await search(`q=walrus&limit=3&cursor=${cursor}`)
      expect(page.run_count).toBe(10)
      seen.push(...page.runs.map(({ id }) => id))
      cursor = page.next_cursor
    }
    expect(seen).toEqual((await search('q=walrus')).runs.map(({ id }) => id))
    const first = await search('q=walrus&limit=3')
    for (const cursor of ['junk', cursorOf(['none', 0]), cursorOf(['', -1]), cursorOf(['', 0.5]), cursorOf(['old-0'])])
      expect(await search(`q=walrus&limit=3&cursor=${cursor}`), cursor).toEqual(first)
    // A window below a run that is visible.
    expect(ids(await search(`q=walrus&cursor=${cursorOf(['new-0', 0])}`))).toEqual(['old-0', 'old-1'])
  })

  it('has no hidden run, and hidden runs change no byte', async () => {
    const viewer = await spec.addUser('searcher')
    await spec.restrict('secret')
    const read = async (query: string): Promise<string> =>
      (await viewer.send('GET', `/search/runs?q=walrus${query}`)).body
    const before = [await read(''), await read('&limit=3'), await read('&project=secret')]
    await ingest('hidden', 'secret', 'smoke', 'walrus walrus')
    expect([await read(''), await read('&limit=3'), await read('&project=secret')]).toEqual(before)
    expect(await read(`&cursor=${cursorOf(['hidden', 0])}`)).toBe(before[0])
    expect((await search('q=walrus', spec.sendAs('admin'))).run_count).toBe(11)
    await spec.grant('searcher', 'view', 'secret')
    expect(ids(await search('q=walrus&project=secret', viewer.send))).toEqual(['hidden'])
  })
})
