import { afterAll, describe, expect, it } from 'vitest'
import type { CaseStatus } from '../../../domain/run/document.ts'
import type { SuiteFlakiness } from '../../../queries/cases/flakiness.ts'
import type { SuiteGrid } from '../../../queries/cases/grid.ts'
import type { CaseTimeline } from '../../../queries/cases/timeline.ts'
import type { Trend } from '../../../queries/statistics/trend.ts'
import { openApp } from '../../support/servers/app.ts'
import { aCase, aDocument, type ACase } from '../../support/documents/documents.ts'
import { STATUS } from '../../support/documents/letters.ts'

afterAll(() => spec.close())

/** Uploads runs of a suite: each test has a letter for each run, `.` where the run does not have it. */
const uploadGrid = async (
  suite: string,
  tests: Readonly<Record<string, string>>,
  more: (column: number) => {
    readonly run?: Parameters<typeof aDocument>[0]
    readonly item?: Parameters<typeof aCase>[0]
  } = () => ({}),
): Promise<void> => {
  const columns = Math.max(...Object.values(tests).map(({ length }) => length))
  for (let column = 0; column < columns; column++) {
    const { run, item } = more(column)
    const cases = Object.entries(tests).flatMap(([test, letters]): ACase[] => {
      const status = STATUS[letters[column] ?? '.']
      const [test_id = test, repeat = '0'] = test.split('#')
      return status
        ? [
            aCase({
              name: `name of ${test_id}`,
              status,
              ...item,
              cell: { test_id, repeat: Number(repeat), ...item?.cell },
            }),
          ]
        : []
    })
    const finished_at = new Date(Date.UTC(2026, 4, 5) + column * 60_000).toISOString()
    const answer = await spec.ingest(aDocument({ run_id: `${suite}-${column}`, suite, finished_at, cases, ...run }))
    expect(answer.statusCode, answer.body).toBe(201)
  }
}
const get = <T>(path: string): Promise<T> => spec.getJson<T>(path)
const grid = (suite: string, query = '') => get<SuiteGrid>(`/projects/chat/suites/${suite}/grid${query}`)
const marks = async (suite: string, query = '') =>
  (await grid(suite, query)).rows.map(({ test_id, marks: letters }) => `${test_id} ${letters}`)
const spec = await openApp()

describe('the grid of a suite', () => {
  it('has a letter for each status of each run, oldest first', async () => {
    await uploadGrid('letters', { all: 'pfesxX', late: '....pf', early: 'pf' })
    expect(await marks('letters', '?order=name')).toEqual(['all pfesxX', 'early pf....', 'late ....pf'])
    const { runs, rows, row_count, next_cursor } = await grid('letters', '?order=name')
    expect(runs.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5].map((column) => `letters-${column}`))
    expect(runs[0]).toEqual({
      id: 'letters-0',
      created_at: '2026-05-05T00:00:00+00:00',
      note: null,
      git_branch: null,
      git_commit: null,
      config_digest: null,
      digests: { prompts: null, providers: null, tests: null, asserts: null, grader: null },
      case_count: 2,
      pass_count: 2,
      fail_count: 0,
      error_count: 0,
      provider_ids: ['model'],
    })
    expect(rows[0]).toEqual({
      case_key: aCase({ cell: { test_id: 'all' } }).case_key,
      test_id: 'all',
      provider_id: 'model',
      prompt_id: 'terse',
      repeat: 0,
      name: 'name of all',
      marks: 'pfesxX',
      flips: 2,
      last_change: { run_id: 'letters-5', created_at: '2026-05-05T00:05:00+00:00', from: 'e', to: 'X' },
      passed: 2,
      counted: 4,
    })
    expect([row_count, next_cursor]).toEqual([3, null])
  })

  it('has the newest runs, of one branch if asked', async () => {
    await uploadGrid('branches', { t: 'pfpfp' }, (column) => ({
      run: { git: { branch: column % 2 ? 'main' : 'topic' } },
    }))
    expect(await marks('branches', '?runs=2')).toEqual(['t fp'])
    expect(await marks('branches', '?branch=main')).toEqual(['t ff'])
    expect(await grid('branches', '?branch=none')).toEqual({
      runs: [],
      rows: [],
      row_count: 0,
      fold: null,
      newest_providers: [],
      next_cursor: null,
    })
  })

  it('has the mean of a measure over the cases of each row, without those read from a cache, if it is asked for', async () => {
    const measured = async (day: number, cases: ReadonlyArray<Parameters<typeof aCase>[0]>) => {
      const finished_at = new Date(Date.UTC(2026, 0, day)).toISOString()
      const answer = await spec.ingest(
        aDocument({
          run_id: `measured-${day}`,
          project: 'chat',
          suite: 'measured',
          finished_at,
          cases: cases.map((each) => aCase(each)),
        }),
      )
      expect(answer.statusCode, answer.body).toBe(201)
    }
    const trial = (repeat: number) => ({ cell: { test_id: 'a', repeat } })
    await measured(1, [
      { ...trial(0), score: 0.5, latency_ms: 100, cost_usd: 0.001, cached: true },
      { ...trial(1), score: 1, latency_ms: 300, cost_usd: 0.002, usage: { input_tokens: 10, output_tokens: 5 } },
    ])
    await measured(2, [{ ...trial(0), latency_ms: 123_456 }])
    const rowsOf = async (query: string) => (await grid('measured', query)).rows.map(({ values }) => values)
    expect(await rowsOf('')).toEqual([undefined, undefined])
    expect(await rowsOf('?fold=trials')).toEqual([undefined])
    expect(await rowsOf('?fold=trials&measure=latency_ms')).toEqual([[300, 123_500]])
    expect((await rowsOf('?fold=trials&measure=score')).map((values) => values?.[0])).toEqual([0.75])
    expect((await rowsOf('?fold=trials&measure=cost_usd')).map((values) => values?.[0])).toEqual([0.002])
    expect((await rowsOf('?fold=trials&measure=tokens')).map((values) => values?.[0])).toEqual([15])
    expect(new Set(await rowsOf('?measure=latency_ms'))).toEqual(
      new Set([
        [null, 123_500],
        [300, null],
      ]),
    )
  })

  it('is ordered by the last change, by flips, by failing, or by name', async () => {
    await uploadGrid('orders', { a: 'pppppp', b: 'pfpfpp', c: 'pppppf', d: 'pppfff', e: 'ssssss', f: 'ffffff' })
    const order = async (name: string) =>
      (await grid('orders', `?order=${name}`)).rows.map(({ test_id }) => test_id).join('')
    expect(await order('changed')).toBe('cbdaef')
    expect(await order('flaky')).toBe('bcdaef')
    expect(await order('failing')).toBe('fdcbae')
    expect(await order('name')).toBe('abcdef')
    expect((await grid('orders')).rows.map(({ test_id }) => test_id).join('')).toBe('cbdaef')
  })

  it.each(['changed', 'flaky', 'failing', 'name'])('has the same rows in pages: %s', async (order) => {
    const whole = await grid('orders', `?order=${order}`)
    const paged: SuiteGrid['rows'] = []
    let cursor: string | null = ''
    for (; cursor !== null;) {
      const page: SuiteGrid = await grid('orders', `?order=${order}&limit=2&cursor=${cursor}`)
      expect([page.row_count, page.runs.length]).toEqual([6, 6])
      paged.push(...page.rows)
      cursor = page.next_cursor
    }
    expect(paged).toEqual(whole.rows)
  })

  it('finds rows by a part of a name or of an id, in any case', async () => {
    await uploadGrid('search', { alpha: 'p', beta: 'p', gamma: 'p' })
    expect(await marks('search', '?q=NAME%20OF%20B')).toEqual(['beta p'])
    expect((await marks('search', '?q=a&order=name')).length).toBe(3)
    expect(await grid('search', '?q=delta')).toMatchObject({ rows: [], row_count: 0, runs: [{ id: 'search-0' }] })
    expect(await marks('search', `?q=${aCase({ cell: { test_id: 'gamma' } }).case_key}`)).toEqual(['gamma p'])
  })

  it('folds trials into one row, with a mark where they disagree', async () => {
    await uploadGrid('trials', { 'a#0': 'ppps', 'a#1': 'pfps', 'a#2': 'pfsp', 'b#0': 'f' })
    expect((await grid('trials')).rows.map(({ repeat, marks: letters }) => `${repeat} ${letters}`).sort()).toEqual([
      '0 f...',
      '0 ppps',
      '1 pfps',
      '2 pfsp',
    ])
    const { rows } = await grid('trials', '?fold=trials&order=name')
    expect(
      rows.map(({ repeat, marks: letters, passed, counted, flips }) => ({ repeat, letters, passed, counted, flips })),
    ).toEqual([
      { repeat: null, letters: 'p~pp', passed: 7, counted: 9, flips: 1 },
      { repeat: null, letters: 'f...', passed: 0, counted: 1, flips: 0 },
    ])
  })

  it('folds the cases of a test into one row, the hardest or the most disputed first', async () => {
    await uploadGrid('models', { easy: 'pppp', hard: 'fffp', split: 'pfpf', late: '...s' }, (column) => ({
      item: { cell: { provider_id: `model-${column}` } },
    }))
    expect(await marks('models', '?fold=test&order=failing')).toEqual([
      'hard fffp',
      'split pfpf',
      'easy pppp',
      'late ...s',
    ])
    expect(await marks('models', '?fold=test&order=flaky')).toEqual([
      'split pfpf',
      'hard fffp',
      'easy pppp',
      'late ...s',
    ])
    expect(await marks('models', '?fold=test&order=name&q=HARD')).toEqual(['hard fffp'])
    // A test has cases of several providers, so it is not found by one of them.
    expect(await marks('models', '?fold=test&q=model-0')).toEqual([])
    expect(await marks('models', '?fold=test&order=changed')).toEqual(await marks('models', '?fold=test&order=flaky'))
    const first = await grid('models', '?fold=test&order=failing&limit=3')
    expect(first).toMatchObject({ fold: 'test', row_count: 4, newest_providers: [] })
    expect(first.runs.map(({ provider_ids }) => provider_ids)).toEqual([0, 1, 2, 3].map((n) => [`model-${n}`]))
    expect(first.rows[1]).toMatchObject({
      test_id: 'split',
      provider_id: null,
      prompt_id: null,
      repeat: null,
      flips: 0,
      last_change: null,
      passed: 2,
      counted: 4,
    })
    expect(await marks('models', `?fold=test&order=failing&limit=3&cursor=${first.next_cursor}`)).toEqual(['late ...s'])
  })

  it('folds by itself where runs share tests but no cases, and a run of several providers', async () => {
    expect(await grid('models', '?fold=auto')).toMatchObject({ fold: 'test', row_count: 4 })
    expect(await grid('letters', '?fold=auto')).toMatchObject({ fold: null, row_count: 3 })
    expect(await grid('models', '?fold=auto&runs=1')).toMatchObject({ fold: null, row_count: 4 })
    await uploadGrid('apart', { a: 'p.', b: '.p' })
    expect(await grid('apart', '?fold=auto')).toMatchObject({ fold: null })
    const of = (test_id: string, provider: string, status: CaseStatus) =>
      aCase({ cell: { test_id, provider_id: provider }, status })
    await spec.ingest(
      aDocument({
        run_id: 'matrix-1',
        suite: 'matrix',
        cases: [of('t1', 'a', 'pass'), of('t1', 'b', 'fail'), of('t2', 'a', 'fail'), of('t2', 'b', 'fail')],
      }),
    )
    const found = await grid('matrix', '?fold=auto&order=failing')
    expect(found).toMatchObject({
      fold: 'test',
      row_count: 2,
      newest_providers: [
        { provider_id: 'a', passed: 1, total: 2 },
        { provider_id: 'b', passed: 0, total: 2 },
      ],
    })
    expect(found.rows.map(({ marks: letters, passed, counted }) => [letters, passed, counted])).toEqual([
      ['f', 0, 2],
      ['~', 1, 2],
    ])
  })

  it('has the median cost and latency of a case where the runs are of different providers, without answers of a cache', async () => {
    const upload = (run: string, suite: string, provider_id: string, values: readonly (readonly [number, number])[]) =>
      spec.ingest(
        aDocument({
          run_id: run,
          suite,
          cases: values.map(([cost_usd, latency_ms], n) =>
            aCase({ cell: { provider_id, test_id: `t${n}` }, cost_usd, latency_ms, cached: n === 3 }),
          ),
        }),
      )
    await upload('priced-1', 'priced', 'small', [
      [0.001, 100],
      [0.002, 300],
      [0.006, 200],
      [9, 9000],
    ])
    await upload('priced-2', 'priced', 'large', [
      [0.1, 0],
      [0.2, 0],
    ])
    const medians = (runs: Awaited<ReturnType<typeof grid>>['runs']) =>
      runs.map(({ id, cost_usd_median, latency_ms_median }) => [id, cost_usd_median, latency_ms_median])
    const first = await grid('priced', '?fold=test&limit=3')
    expect(medians(first.runs)).toEqual([
      ['priced-1', 0.002, 200],
      ['priced-2', 0.15, null],
    ])
    const next = await grid('priced', `?fold=test&limit=3&cursor=${first.next_cursor}`)
    expect(next.runs.map((run) => 'cost_usd_median' in run)).toEqual([false, false])
    await upload('same-1', 'priced the same', 'small', [[0.1, 10]])
    await upload('same-2', 'priced the same', 'small', [[0.1, 10]])
    expect((await grid('priced%20the%20same', '')).runs.map((run) => 'cost_usd_median' in run)).toEqual([false, false])
  })

  it('reports the last change between passing, failing and disagreeing trials, never one of the oldest run', async () => {
    await uploadGrid('mixed', {
      'a#0': 'pp',
      'a#1': 'fp',
      'b#0': 'pp',
      'b#1': 'pf',
      'c#0': 'pp',
      'c#1': 'ff',
      'd#0': '.p',
      'd#1': '.f',
      'e#0': 'fp',
    })
    const { rows } = await grid('mixed', '?fold=trials&order=name')
    const changed = { run_id: 'mixed-1', created_at: '2026-05-05T00:01:00+00:00' }
    expect(rows.map(({ marks: letters, flips, last_change }) => ({ letters, flips, last_change }))).toEqual([
      { letters: '~p', flips: 1, last_change: { ...changed, from: '~', to: 'p' } },
      { letters: 'p~', flips: 1, last_change: { ...changed, from: 'p', to: '~' } },
      { letters: '~~', flips: 2, last_change: null },
      { letters: '.~', flips: 1, last_change: null },
      { letters: 'fp', flips: 1, last_change: { ...changed, from: 'f', to: 'p' } },
    ])
    const { rows: byChange } = await grid('mixed', '?fold=trials&order=changed')
    expect(byChange.map(({ test_id }) => test_id)).toEqual(['a', 'b', 'e', 'c', 'd'])
  })

  it('does not have deleted runs', async () => {
    await uploadGrid('deleted', { t: 'pfp' })
    await spec.sendAs('admin')('DELETE', '/runs/deleted-1')
    expect(await marks('deleted')).toEqual(['t pp'])
  })

  it.each(['runs=x', 'order=none', 'fold=all', 'limit=x', 'q=1&q=2', 'more=1'])('rejects %s', async (query) => {
    const answer = await spec.sendAs('read')('GET', `/projects/chat/suites/letters/grid?${query}`)
    expect(answer.statusCode).toBe(400)
    expect(answer.json<{ error: string }>().error).toContain(query.split('=')[0])
  })
})

describe('the flakiness of a suite', () => {
  const flakiness = (suite: string, query = '') =>
    get<SuiteFlakiness>(`/projects/chat/suites/${suite}/flakiness${query}`)

  it('lists the cases that flip over the newest like runs, most flips first', async () => {
    await uploadGrid('flaky', { a: 'pppppp', b: 'pfpfpf', c: 'pppppf', d: 'psfsps' })
    expect(await flakiness('flaky')).toEqual({
      project: 'chat',
      suite: 'flaky',
      branch: null,
      window: 20,
      runs: [5, 4, 3, 2, 1, 0].map((column) => ({
        id: `flaky-${column}`,
        created_at: `2026-05-05T00:0${column}:00+00:00`,
      })),
      case_count: 4,
      flaky_count: 1,
      flipping_count: 3,
      cases: [
        expect.objectContaining({
          test_id: 'b',
          points: 6,
          flips: 5,
          flip_rate: 1,
          pass_rate: 0.5,
          flaky: true,
          marks: 'pfpfpf',
        }),
        expect.objectContaining({ test_id: 'd', points: 3, flips: 2, flaky: false, marks: 'psfsps' }),
        expect.objectContaining({ test_id: 'c', points: 6, flips: 1, flaky: false, name: 'name of c' }),
      ],
    })
    expect((await flakiness('flaky', '?window=2')).cases.map(({ test_id, flips }) => `${test_id} ${flips}`)).toEqual([
      'b 1',
      'c 1',
    ])
    const { flakiness: inTrend } = await get<Trend>('/projects/chat/suites/flaky/trend')
    expect(inTrend).toEqual(await flakiness('flaky'))
  })

  it('leaves out runs of other providers, of other branches, and those with few of the cases', async () => {
    await uploadGrid('unlike', { a: 'pfpfp', b: 'ppp.p' }, (column) => ({
      run: { git: { branch: column === 0 ? 'old' : 'main' } },
      ...(column === 1 ? { item: { cell: { provider_id: 'other', test_id: 'a' } } } : {}),
    }))
    expect((await flakiness('unlike')).runs.map(({ id }) => id)).toEqual(['unlike-4', 'unlike-2', 'unlike-0'])
    expect((await flakiness('unlike', '?branch=main')).runs.map(({ id }) => id)).toEqual(['unlike-4', 'unlike-2'])
    expect(await flakiness('unlike', '?branch=none')).toMatchObject({ runs: [], case_count: 0, cases: [] })
  })

  it('examines further runs until the window is full', async () => {
    await uploadGrid('further', { a: 'pfpfpfpf', b: 'p....ppp', c: 'p....ppp' })
    expect((await flakiness('further', '?window=4')).runs.map(({ id }) => id)).toEqual([
      'further-7',
      'further-6',
      'further-5',
      'further-0',
    ])
  })

  it.each(['window=1', 'window=101', 'window=x', 'window='])('rejects %s with the allowed range', async (query) => {
    const answer = await spec.sendAs('read')('GET', `/projects/chat/suites/flaky/flakiness?${query}`)
    expect(answer.statusCode).toBe(400)
    expect(answer.body).toContain('window')
    expect(answer.body).toContain('from 2 to 100')
  })
})

describe('the timeline of a case', () => {
  const KEY = aCase({ cell: { test_id: 't' } }).case_key
  const timeline = (suite: string, query = '') =>
    get<CaseTimeline>(`/projects/chat/suites/${suite}/cases/${KEY}/timeline${query}`)

  it('has what the case was in each run, and what changed since the run before', async () => {
    await uploadGrid('timeline', { t: 'pfp', other: 'ppp' }, (column) => ({
      run: {
        config_digest: `config-${Math.min(column, 1)}`,
        origin: { note: `run ${column}` },
        git: { branch: 'main', commit: `c${column}` },
      },
      item: {
        output: `output ${Math.min(column, 1)}`,
        latency_ms: column * 100,
        model: `model-${Math.max(column, 1)}`,
        prompt_digest: 'same',
        provider_digest: column === 0 ? '' : 'known',
        assert_digest: `asserts-${column}`,
        cost_usd: 0.25,
        usage: { input_tokens: 7, output_tokens: 3 },
        asserts: [
          { kind: 'contains', status: 'pass', score: 1, weight: 1, reason: 'found' },
          {
            kind: 'equals',
            status: column === 1 ? 'fail' : 'pass',
            score: column === 1 ? 0 : 1,
            weight: 1,
            reason: '',
          },
        ],
      },
    }))
    const found = await timeline('timeline')
    expect(found).toMatchObject({
      project: 'chat',
      suite: 'timeline',
      case_key: KEY,
      name: 'name of t',
      test_id: 't',
      provider_id: 'model',
      prompt_id: 'terse',
      repeat: 0,
      baseline_run_id: null,
      counted: { runs: 3, verdicts: 3, passed: 2, flips: 2 },
      next_cursor: null,
    })
    expect(found.runs[0]).toEqual({
      run_id: 'timeline-2',
      created_at: '2026-05-05T00:02:00+00:00',
      note: 'run 2',
      status: 'pass',
      score: 1,
      latency_ms: 200,
      cost_usd: 0.25,
      prompt_tokens: 7,
      completion_tokens: 3,
      cached: false,
      model: 'model-2',
      stop_reason: null,
      error: null,
      failed_asserts: [],
      output_hash: found.runs[1]?.output_hash,
      output_changed: false,
      prompt_digest: 'same',
      prompt_changed: false,
      provider_digest: 'known',
      provider_changed: false,
      assert_digest: 'asserts-2',
      asserts_changed: true,
      model_changed: true,
      config_digest: 'config-1',
      config_changed: false,
      git_branch: 'main',
      git_commit: 'c2',
    })
    expect(found.runs[1]).toMatchObject({
      status: 'fail',
      output_changed: true,
      provider_changed: null,
      model_changed: false,
      config_changed: true,
      failed_asserts: [{ label: 'equals', kind: 'equals', score: 0 }],
    })
    expect(found.runs[2]).toMatchObject({
      latency_ms: null,
      output_changed: null,
      prompt_changed: null,
      provider_digest: null,
      model_changed: null,
    })
  })

  it('has the same runs in pages, each compared with the run before', async () => {
    await uploadGrid('pages', { t: 'pfpfp' }, (column) => ({ item: { output: `output ${column % 3}` } }))
    const whole = await timeline('pages')
    const paged: CaseTimeline['runs'] = []
    let cursor: string | null = ''
    for (; cursor !== null;) {
      const page: CaseTimeline = await timeline('pages', `?limit=2&cursor=${encodeURIComponent(cursor)}`)
      expect(page.counted).toEqual(whole.counted)
      paged.push(...page.runs)
      cursor = page.next_cursor
    }
    expect(paged).toEqual(whole.runs)
    expect(paged).toHaveLength(5)
  })
})

describe('a suite that is unknown', () => {
  it.each(['grid', 'flakiness'])('has no %s', async (read) => {
    for (const path of [`/projects/chat/suites/none/${read}`, `/projects/none/suites/letters/${read}`]) {
      const answer = await spec.sendAs('read')('GET', path)
      expect([answer.statusCode, answer.body]).toEqual([404, '{"error":"run set not found"}'])
    }
  })
  it('has no timeline', async () => {
    const answer = await spec.sendAs('read')('GET', '/projects/chat/suites/none/cases/x/timeline')
    expect([answer.statusCode, answer.body]).toEqual([404, '{"error":"case not found"}'])
  })
})
