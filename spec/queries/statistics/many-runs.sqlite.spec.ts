import { afterAll, describe, expect, it } from 'vitest'
import type { CaseStatus } from '../../../domain/run/document.ts'
import { adjustForMany } from '../../../domain/statistics/many.ts'
import { mcnemar } from '../../../domain/statistics/statistics.ts'
import type { ManyRuns } from '../../../queries/statistics/many-runs.ts'
import { aCase, aDocument, type ACase } from '../../support/documents/documents.ts'
import { openApp } from '../../support/servers/app.ts'

afterAll(() => spec.close())

const passes = (n: number): CaseStatus[] => new Array<CaseStatus>(n).fill('pass')
const fails = (n: number): CaseStatus[] => new Array<CaseStatus>(n).fill('fail')
const upload = async (run_id: string, cases: readonly ACase[]): Promise<void> => {
  expect((await spec.ingest(aDocument({ run_id, cases }))).statusCode).toBe(201)
}
const ingest = (run_id: string, provider_id: string, statuses: readonly CaseStatus[]) =>
  upload(
    run_id,
    statuses.map((status, i) =>
      aCase({
        status,
        name: `test ${i}`,
        cell: { provider_id, test_id: `t${i}` },
        latency_ms: i,
        ...(i === 1 ? { cost_usd: 0.25 } : {}),
      }),
    ),
  )

const compare = (query: string) => spec.getJson<ManyRuns>(`/compare?${query}`)
const ALL = 'runs=base,none,six,nine,up'
const names = ({ rows }: ManyRuns) => rows.map(({ test_id }) => test_id)
const spec = await openApp()
// Of twenty tests, `six` fails six that `base` passes, `nine` nine, and `none` none; `up` passes one more.
await ingest('base', 'a', ['fail', ...passes(19)])
await ingest('none', 'b', ['fail', ...passes(19)])
await ingest('six', 'c', ['fail', ...fails(6), ...passes(13)])
await ingest('nine', 'd', ['fail', ...fails(9), ...passes(10)])
await ingest('up', 'e', ['pass', 'fail', ...passes(18)])

describe('comparing several runs', () => {
  it('tests each against the base, with p-values adjusted for their number', async () => {
    const found = await compare(ALL)
    expect(found).toMatchObject({
      base: 'base',
      joined_by: 'test_prompt_repeat',
      counts: { all: 20, in_every_run: 20, differ: 10, all_passed: 10, all_failed: 0 },
    })
    const p = [mcnemar(0, 0), mcnemar(6, 0), mcnemar(9, 0), mcnemar(1, 1)].map(({ p_value }) => p_value)
    expect(found.runs.map(({ against_base }) => against_base)).toMatchObject([
      null,
      ...adjustForMany(p).map((adjusted_p, i) => ({ p_value: p[i], adjusted_p, shared: 20, pairs: 20 })),
    ])
    expect(
      found.runs.map(({ run, against_base: against }) => [run.id, against?.verdict, against?.removed_by_adjustment]),
    ).toEqual([
      ['base', undefined, undefined],
      ['none', 'too_few', false],
      ['six', 'no_clear_change', true],
      ['nine', 'worse', false],
      ['up', 'too_few', false],
    ])
    expect(found.runs[0]).toMatchObject({ run: { providers: ['a'] }, latency_ms_median: 10, score_mean: 0.95 })
  })

  it('has medians and a 95th percentile that leave out skipped cases and latencies of 0', async () => {
    for (const run_id of ['skips-1', 'skips-2'])
      await spec.ingest(
        aDocument({
          run_id,
          cases: [100, 200, 1, 1, 1, 0].map((latency_ms, i) =>
            aCase({
              cell: { test_id: `s${i}` },
              latency_ms,
              cost_usd: 0.01 * (i + 1),
              status: latency_ms === 1 ? 'skip' : 'pass',
            }),
          ),
        }),
      )
    const { runs } = await compare('runs=skips-1,skips-2')
    expect(runs.map((run) => [run.latency_ms_median, run.latency_ms_p95, run.score_mean, run.cost_usd_median])).toEqual(
      [
        [150, 200, 1, 0.02],
        [150, 200, 1, 0.02],
      ],
    )
  })

  it('lists the tests where verdicts differ, most disagreement first', async () => {
    const found = await compare(ALL)
    expect(names(found)).toEqual(['t1', 't2', 't3', 't4', 't5', 't6', 't0', 't7', 't8', 't9'])
    expect(found.rows[0]).toMatchObject({
      name: 'test 1',
      provider_id: null,
      prompt_id: 'terse',
      repeat: 0,
      differs: true,
      cells: [
        { status: 'pass', score: 1, latency_ms: 1, cost_usd: 0.25, differs: false },
        { status: 'pass', differs: false },
        { status: 'fail', score: 0, differs: true },
        { status: 'fail', differs: true },
        { status: 'fail', differs: true },
      ],
    })
    expect(found.rows[6]?.cells[0]?.latency_ms).toBeNull()
  })

  it('pages without repeating or losing a row', async () => {
    const pages: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const found: ManyRuns = await compare(`${ALL}&limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)
      expect(found.rows.length).toBeLessThanOrEqual(3)
      pages.push(...names(found).map(String))
      cursor = found.next_cursor
    }
    expect(pages).toEqual(names(await compare(ALL)))
    expect(names(await compare(`${ALL}&cursor=nonsense`))).toEqual(names(await compare(ALL)))
  })

  it.each([
    ['all', 20],
    ['all_passed', 10],
    ['all_failed', 0],
    ['worse:six', 6],
    ['better:up', 1],
    ['worse:base', 0],
  ])('lists %s: %i rows', async (filter, rows) =>
    expect((await compare(`${ALL}&filter=${filter}`)).rows).toHaveLength(rows),
  )

  it('takes another base', async () => {
    const { base, runs } = await compare(`${ALL}&base=nine`)
    expect([base, ...runs.map(({ against_base }) => against_base?.better)]).toEqual(['nine', 9, 9, 3, undefined, 9])
  })

  it('joins by case key where all runs share a provider, and shows where a run lacks a case', async () => {
    const cells = (tests: readonly string[]) => tests.map((test_id) => aCase({ cell: { test_id } }))
    await upload('abc', cells(['a', 'b', 'c']))
    await upload('bcd', [...cells(['b', 'c']), aCase({ status: 'fail', cell: { test_id: 'd' } })])
    const found = await compare('runs=abc,bcd&filter=all')
    expect(found).toMatchObject({ joined_by: 'case_key', counts: { all: 4, in_every_run: 2, differ: 0 } })
    expect(
      found.rows.map(({ test_id, provider_id, cells: row }) => [test_id, provider_id, row.map((cell) => cell?.status)]),
    ).toEqual([
      ['a', 'model', ['pass', undefined]],
      ['b', 'model', ['pass', 'pass']],
      ['c', 'model', ['pass', 'pass']],
      ['d', 'model', [undefined, 'fail']],
    ])
  })

  it('takes ids with commas, percent-encoded within the list', async () => {
    await ingest('with,comma', 'x', passes(2))
    await ingest('100%', 'y', passes(2))
    const runs = ['with,comma', '100%'].map(encodeURIComponent).join(',')
    const found = await compare(`runs=${encodeURIComponent(runs)}`)
    expect(found.runs.map(({ run }) => run.id)).toEqual(['with,comma', '100%'])
  })

  it.each([
    ['', 'runs: Invalid input: expected string, received undefined'],
    ['runs=base', 'runs: must be 2 to 8 different ids of runs, comma-separated'],
    ['runs=1,2,3,4,5,6,7,8,9', 'runs: must be 2 to 8 different ids of runs, comma-separated'],
    ['runs=base,base', 'runs: must be 2 to 8 different ids of runs, comma-separated'],
    ['runs=base,%25', 'runs: must be 2 to 8 different ids of runs, comma-separated'],
    ['runs=base,six&base=nine', 'base: must name one of the runs'],
    ['runs=base,six&filter=worse:nine', 'filter: must name one of the runs'],
    [
      'runs=base,six&filter=worse',
      'filter: must be `differ`, `all`, `all_passed`, `all_failed`, `worse:RUN` or `better:RUN`',
    ],
    ['runs=base,six&limit=x', 'limit: must be an integer'],
  ])('rejects "%s"', async (query, error) => {
    const answer = await spec.sendAs('read')('GET', `/compare?${query}`)
    expect([answer.statusCode, answer.json()]).toEqual([400, { error }])
  })

  it('answers the same bytes for a hidden run as for an unknown one', async () => {
    await ingest('before', 'z', passes(2))
    await spec.ingest(aDocument({ run_id: 'secret', project: 'secret', suite: 'vault' }))
    await spec.restrict('secret', 'vault')
    const stranger = await spec.addUser('stranger', 'viewer')
    for (const path of [
      '/compare?runs=before,ID',
      '/compare/outputs?runs=ID,before&test=t1',
      '/runs/ID/tests/greeting',
    ]) {
      const [hidden, unknown] = await Promise.all(
        ['secret', 'nothing'].map((id) => stranger.send('GET', path.replace('ID', id))),
      )
      expect([hidden?.statusCode, hidden?.body]).toEqual([404, unknown?.body])
    }
  })
})
