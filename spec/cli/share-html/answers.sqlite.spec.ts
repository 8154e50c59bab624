import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CommentList } from '../../../queries/runs/comments.ts'
import { readDataFrom } from '../../../webapp/share/data.ts'
import { request } from '../../../webapp/share/request.ts'
import { sharedPage } from '../../../cli/share-html/page.ts'
import { aCase, aDocument, type ACase, type ADocument } from '../../support/documents/documents.ts'
import { csvFilters, caseSort, direction, query } from '../../support/random/random-filters.ts'
import { openApp, type SpecApp } from '../../support/servers/app.ts'
import { collectRuns, dataIn } from '../../support/share/write-page.ts'

// The page answers the requests of the app as the service does, for the same documents. Its rows may have more members.

const STATUSES = ['pass', 'fail', 'error', 'skip', 'xfail', 'xpass'] as const
const TAGS = ['slow', 'a]b', '[x]', 'é'] as const

/** A case of which most fields depend on a number, so that lists have ties and missing values. */
const numbered = (n: number, shift: number): ACase => {
  const status = STATUSES[(n + shift) % 6] ?? 'pass'
  return aCase({
    cell: {
      test_id: `t/${n % 20}`,
      provider_id: ['model', 'Model', 'é'][n % 3] ?? 'model',
      prompt_id: n % 2 === 0 ? 'terse' : 'Terse',
      repeat: Math.floor(n / 60),
    },
    ...(n % 4 === 0 ? {} : { name: ['Zeta', 'alpha', '\u{1f600}', 'ß 10', 'ß 9'][n % 5] }),
    status,
    score: status === 'skip' ? 0 : ((n * 7 + shift) % 11) / 10,
    latency_ms: n % 5 === 0 ? 0 : (n * 37) % 1000,
    output: n % 7 === 0 ? { n: 12345678901234 + n, word: 'hello' } : n % 11 === 0 ? undefined : `Hello wor_ld ${n % 9}`,
    tags: TAGS.filter((_, i) => (n + i) % 3 === 0),
    ...(n % 6 === 1 ? { cost_usd: n / 1000 } : {}),
    ...(status === 'error' && n % 2 === 0 ? { error_class: 'timeout', error: 'late' } : {}),
    ...(n % 13 === 0 ? { empty_reason: 'refusal', stop_reason: 'refusal' } : {}),
    cached: n % 8 === 0,
    asserts: [
      {
        kind: 'contains',
        status: (n + shift) % 4 === 0 ? 'fail' : 'pass',
        score: 0.5,
        weight: 1,
        reason: 'It is wrong.',
      },
    ],
  })
}
const run = (run_id: string, shift: number): ADocument =>
  aDocument({
    run_id,
    config_snapshot: { temperature: shift },
    cases: Array.from({ length: 250 }, (_, n) => numbered(n, shift)).filter((_, n) => n % 17 !== shift),
  })
const [BASE, HEAD] = [run('base', 0), run('head/1', 1)]

let app: SpecApp
beforeAll(async () => {
  app = await openApp({ storage: 'sqlite', mode: 'open' })
  for (const document of [BASE, HEAD]) await app.ingest(document)
  for (const case_key of [null, HEAD.cases[3]?.case_key])
    await app.sendAs('write')('POST', `${head}/comments`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: `About ${case_key}`, case_key }),
    })
  const { comments } = await app.getJson<CommentList>(`${head}/comments`)
  const collected = await collectRuns(HEAD, BASE, { without: [], with: ['comments'], max_output_bytes: null }, comments)
  const data = dataIn([...sharedPage('<!-- data -->', collected)].join(''))
  readDataFrom((id) => data.get(id) ?? null)
})
afterAll(() => app.close())

/** What both answer to a request of a page. */
const both = async (path: string): Promise<readonly [unknown, unknown]> => {
  const [served, own] = await Promise.all([app.sendAs('read')('GET', path), request(path, {})])
  expect([served.statusCode, own.status], path).toEqual([200, 200])
  return [served.json(), await own.json()]
}
const head = `/runs/${encodeURIComponent(HEAD.run_id)}`
const search = (values: Readonly<Record<string, string | undefined>>): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '') parameters.set(name, value)
  return parameters.size === 0 ? '' : `?${parameters.toString()}`
}
describe('the answers of a page that is one file', () => {
  it('list, filter, sort and search the cases as the service does', () =>
    fc.assert(
      fc.asyncProperty(
        query({ ...csvFilters, sort: caseSort, order: direction, offset: fc.constantFrom('0', '7') }),
        async ({ q, ...filters }) => {
          const words = q?.trim() === '' ? undefined : q
          const [served, own] = await both(`${head}/case-rows${search({ ...filters, q: words, limit: '200' })}`)
          expect(own).toMatchObject(served as object)
        },
      ),
      { numRuns: 150 },
    ))

  it.each(['hello', 'HELLO wor_ld', '123456789012', 'alpha', '%9', 'nowhere'])(
    'find %s where the service finds it',
    async (q) => {
      const [served, own] = await both(`${head}/case-rows${search({ q })}`)
      expect(own).toMatchObject(served as object)
    },
  )

  it('find the page around a case, and the cases after one', async () => {
    const key = HEAD.cases[100]?.case_key
    for (const path of [
      `/case-rows${search({ around: key, limit: '50' })}`,
      `/cases${search({ cursor: '40', limit: '3', status: 'fail' })}`,
    ]) {
      const [served, own] = await both(`${head}${path}`)
      expect(own).toMatchObject(served as object)
    }
  })

  it('have each case in full', async () => {
    for (const { case_key } of HEAD.cases.slice(0, 30)) {
      const [served, own] = await both(`${head}/cases/${encodeURIComponent(case_key)}`)
      expect(own).toEqual(served)
      const [servedWhole, whole] = await both(`${head}/cases/${encodeURIComponent(case_key)}/in-suite`)
      expect(whole).toMatchObject({ ...(servedWhole as object), history: null, runs: null })
    }
  })

  it('have the comments on the run and on each case, without their authors', async () => {
    const key = HEAD.cases[3]?.case_key
    for (const query of ['', search({ case: key }), search({ case: 'nothing' })]) {
      const [served, own] = await both(`${head}/comments${query}`)
      const { comments, ...counted } = served as CommentList
      expect(own).toEqual({
        ...counted,
        comments: comments.map((comment, n) => ({ ...comment, id: String(n), by: null, may_delete: false })),
      })
    }
    const [, { comments }] = (await both(`${head}/cases/${key}/in-suite`)) as [unknown, { comments: number }]
    expect(comments).toBe(1)
  })

  it('have the distribution, and the matrix in every order', async () => {
    const [served, own] = await both(`${head}/distribution`)
    expect(own).toEqual(served)
    for (const value of ['score', 'pass', 'latency', 'outputs'])
      for (const sort of ['document', 'worst', 'best', 'spread', 'name'])
        for (const only of [undefined, 'disagree']) {
          const path = `${head}/matrix/rows${search({ value, sort, only, limit: '7', cursor: '3' })}`
          const [servedRows, ownRows] = await both(path)
          expect(ownRows, path).toMatchObject(servedRows as object)
        }
  })

  it('have both comparisons with every filter, the configurations, and a linked case', async () => {
    for (const [one, other] of [
      [BASE.run_id, HEAD.run_id],
      [HEAD.run_id, BASE.run_id],
    ].map((ids) => ids.map(encodeURIComponent))) {
      const path = `/runs/${one}/compare/${other}`
      const requests = ['/statistics', '/config', `/cases${search({ case: HEAD.cases[20]?.case_key, limit: '1' })}`]
      for (const filter of [
        'changed',
        'worse',
        'better',
        'undecided',
        'lost',
        'still_failing',
        'still_passing',
        'base_only',
        'head_only',
        'flipped',
        'all',
      ])
        requests.push(`/cases${search({ filter, limit: '5', cursor: '2' })}`)
      for (const each of requests) {
        const [served, own] = await both(`${path}${each}`)
        expect(own, each).toEqual(served)
      }
    }
  })

  it('are 404 for all that is not in the file', async () => {
    for (const path of [
      '/runs',
      '/runs/nowhere/in-suite',
      `${head}/cases/nowhere`,
      `${head}/export`,
      `/runs/base/compare/base/statistics`,
    ])
      expect((await request(path, {})).status, path).toBe(404)
  })
})
