import { afterAll, describe, expect, it } from 'vitest'
import { WARNING } from '../../../../domain/agent-text/fence.ts'
import { callTool, ENDLESS, MCP, insideFence, type McpMessage } from '../../../support/http/mcp.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { openApp, type SpecApp } from '../../../support/servers/app.ts'

// Tools that list: their rows are those of the HTTP API, and their text is a table.

const HOUR_MS = 3_600_000
const at = (n: number): string => new Date(Date.UTC(2026, 4, 4) + n * HOUR_MS).toISOString()
afterAll(() => spec.close())

const call = (name: string, given: McpMessage = {}, { sendAs }: Pick<SpecApp, 'sendAs'> = spec) =>
  callTool(sendAs('read'), name, given)
const rest = async (path: string): Promise<Record<string, unknown>> =>
  JSON.parse((await spec.sendAs('read')('GET', path)).body) as Record<string, unknown>
/** A result of the HTTP API as a tool returns it. */
const warned = async (path: string): Promise<object> => ({ ...(await rest(path)), _warning: WARNING })
const rowsOf = (data: Readonly<Record<string, unknown>>, name: string) =>
  data[name] as ReadonlyArray<Readonly<Record<string, unknown>>>
/** For runs that the other lists must not have. */
const openOwn = () => openApp({ mcp: MCP, parts: () => ({ callBudget: ENDLESS }) })
const spec = await openOwn()
for (let n = 0; n < 14; n++)
  await spec.ingest(
    aDocument({
      run_id: `run-${n}`,
      project: 'chat',
      suite: n % 2 === 0 ? 'smoke' : 'nightly',
      started_at: at(n),
      finished_at: at(n),
      filters: { tags: n === 3 ? ['release'] : [] },
      git: { branch: n === 5 ? 'topic' : 'main' },
      origin: { actor: n === 6 ? 'ann' : 'ben' },
      cases: Array.from({ length: 30 }, (_, i) =>
        aCase({
          cell: { test_id: `test-${i}`, ...(n === 1 ? { provider_id: 'sonnet' } : {}) },
          name: `Test ${i}`,
          status: i < n ? 'fail' : 'pass',
          output: i === 0 ? 'x'.repeat(250) : `answer ${i}`,
          tags: i === 7 ? ['slow'] : [],
        }),
      ),
    }),
  )

describe('find_runs', () => {
  it('lists ten runs, newest first, as the HTTP API does', async () => {
    const { data, isError } = await call('find_runs')
    expect([isError, data]).toEqual([false, await warned('/runs?limit=10')])
    expect(rowsOf(data, 'runs').length).toBe(10)
  })

  it.each([
    ['project', 'chat'],
    ['project', 'none'],
    ['suite', 'smoke'],
    ['tag', 'release'],
    ['branch', 'topic'],
    ['provider', 'sonnet'],
    ['provider', 'none'],
    ['actor', 'ann'],
    ['status', 'pass'],
    ['status', 'fail'],
    ['status', 'error'],
    ['cached', 'exclude'],
    ['cached', 'only'],
    ['cached', 'all'],
    ['origin', 'ci'],
    ['origin', 'local'],
    ['since', at(4)],
    ['until', at(4)],
    ['until', String(Date.parse(at(3)))],
    ['limit', 3],
    ['limit', 50],
  ])('filters by %s %s', async (name, value) => {
    const query = new URLSearchParams({ limit: '10', [name]: String(value) }).toString()
    expect((await call('find_runs', { [name]: value })).data).toEqual(await warned(`/runs?${query}`))
  })

  it('clamps its limit to 1 and 50', async () => {
    for (const [limit, listed] of [
      [-1, 1],
      [0, 1],
      [51, 14],
    ] as const)
      expect(rowsOf((await call('find_runs', { limit })).data, 'runs').length).toBe(listed)
  })

  it('has pages, and says how to get the next one', async () => {
    const seen: unknown[] = []
    let cursor: string | undefined
    do {
      const { data, text } = await call('find_runs', { limit: 5, ...(cursor === undefined ? {} : { cursor }) })
      seen.push(...rowsOf(data, 'runs').map(({ id }) => id))
      cursor = (data['next_cursor'] ?? undefined) as string | undefined
      if (cursor !== undefined) expect(text).toContain(`call again with cursor ${cursor}`)
      else expect(text).not.toContain('cursor')
    } while (cursor !== undefined)
    expect(seen).toEqual(Array.from({ length: 14 }, (_, n) => `run-${13 - n}`))
  })

  it('shows an aligned table in a fence', async () => {
    const { text } = await call('find_runs', { limit: 2, suite: 'smoke' })
    expect(text).toMatch(/^<untrusted source="stored_model_output" subject="runs">\n/)
    expect(insideFence(text).split('\n').slice(0, 3)).toEqual([
      'id      project  suite  pass  fail  err  rate                branch  created_at',
      'run-12  chat     smoke  18    12    0    0.6                 main    2026-05-04T12:00:00+00:00',
      'run-10  chat     smoke  20    10    0    0.6666666666666666  main    2026-05-04T10:00:00+00:00',
    ])
    expect(insideFence((await call('find_runs', { project: 'none' })).text)).toBe('(no rows)')
  })

  it('takes null as no argument, and a number as text', async () => {
    const nothing = { project: null, tag: null, since: null, status: null, cursor: null, group_by: null }
    expect((await call('find_runs', { ...nothing, limit: '3' })).data).toEqual(await warned('/runs?limit=3'))
    expect((await call('find_runs', { ...nothing, limit: null })).data).toEqual(await warned('/runs?limit=10'))
  })

  it('groups by project, and by suite with baselines and series', async () => {
    await spec.sendAs('admin')('PUT', '/projects/chat/suites/smoke/baseline', {
      headers: { 'content-type': 'application/json' },
      body: { run_id: 'run-2' },
    })
    const projects = await call('find_runs', { group_by: 'project', suite: 'ignored', limit: 1 })
    expect(projects.data).toEqual(await warned('/projects'))
    expect(insideFence(projects.text)).toBe(
      'project  runs  suites  last_run_at\nchat     14    2       2026-05-04T13:00:00+00:00',
    )
    const suites = await call('find_runs', { group_by: 'suite', project: 'chat' })
    expect(suites.data).toEqual(await warned('/projects/chat/suites'))
    expect(rowsOf(suites.data, 'suites')[1]).toMatchObject({ suite: 'smoke', baseline_run_id: 'run-2' })
    expect(insideFence(suites.text).split('\n')[0]).toBe('suite    runs  last_run_at')
    expect((await call('find_runs', { group_by: 'suite', project: 'none' })).data).toEqual(
      await warned('/projects/none/suites'),
    )
  })

  it.each([
    ['group_by suite without a project', { group_by: 'suite' }, /^project: is required with group_by suite$/],
    ['a cursor that is none', { cursor: 'x' }, /^cursor: must be the next_cursor/],
    ['a time', { since: 'yesterday' }, /^since: must be epoch milliseconds or an RFC 3339 instant/],
    ['a time that is a number', { until: 4 }, /^until: must be epoch milliseconds or an RFC 3339 instant/],
    ['a status', { status: 'skip' }, /^status: must be one of pass, fail, error$/],
    ['a limit that is text', { limit: 'five' }, /^limit: must be an integer$/],
    ['a limit with a fraction', { limit: 2.5 }, /^limit: must be an integer$/],
    ['a limit that is text with a fraction', { limit: '2.5' }, /^limit: must be an integer$/],
    ['an unknown argument that is null', { projet: null }, /^unknown argument "projet"/],
    ['a project that is a number', { project: 1 }, /^project: must be a string$/],
    ['an unknown argument', { projet: 'x' }, /^unknown argument "projet": this tool takes project, suite,/],
    [
      'many unknown arguments',
      { a: 1, b: 2, c: 3, d: 4, e: 5 },
      /^unknown arguments "a", "b", "c" and 2 more: this tool takes/,
    ],
    ['several faults', { limit: 'x', q: 1 }, /limit: must be an integer; unknown argument "q"/],
  ])('says what is wrong with %s', async (_, given, message) => {
    const { isError, data, text } = await call('find_runs', given)
    expect([isError, Object.keys(data), text]).toEqual([true, ['error'], data['error']])
    expect(text).toMatch(message)
  })
})

describe('list_cases', () => {
  it('lists twenty cases as the HTTP API does, with short previews', async () => {
    const { data } = await call('list_cases', { run_id: 'run-4' })
    const { cases, next_cursor } = await rest('/runs/run-4/cases?limit=20')
    const expected = (cases as Array<{ output_preview: string }>).map((row) => ({
      ...row,
      output_preview:
        row.output_preview.length > 200
          ? `${'x'.repeat(200)}…[truncated ${row.output_preview.length - 200} of ${row.output_preview.length} chars]`
          : row.output_preview,
    }))
    expect(data).toEqual({ cases: expected, next_cursor, _warning: WARNING })
    expect(next_cursor).toBe('19')
  })

  it.each([
    ['status', 'fail'],
    ['status', 'skip'],
    ['tag', 'slow'],
    ['q', 'answer 1'],
    ['provider', 'model'],
    ['prompt', 'other'],
    ['test', 'test-3'],
    ['stop_reason', 'end_turn'],
    ['error_class', 'timeout'],
    ['empty_reason', 'refusal'],
    ['cached', true],
    ['cached', false],
    ['limit', 2],
    ['cursor', 5],
  ])('filters by %s %s', async (name, value) => {
    const query = new URLSearchParams({ limit: '20', [name]: String(value) }).toString()
    const { data } = await call('list_cases', { run_id: 'run-4', [name]: value })
    const { cases } = await rest(`/runs/run-4/cases?${query}`)
    expect(rowsOf(data, 'cases').map(({ case_key }) => case_key)).toEqual(
      (cases as Array<{ case_key: string }>).map(({ case_key }) => case_key),
    )
  })

  it('clamps its limit to 1 and 100', async () => {
    const cases = Array.from({ length: 101 }, (_, n) => aCase({ cell: { test_id: `t${n}` } }))
    const own = await openOwn()
    await own.ingest(aDocument({ run_id: 'hundred', cases }))
    const listed: number[] = []
    for (const limit of [0, 60, 100, 101])
      listed.push(rowsOf((await call('list_cases', { run_id: 'hundred', limit }, own)).data, 'cases')?.length ?? 0)
    expect(listed).toEqual([1, 60, 100, 100])
    await own.close()
  })

  it('takes the cursor of the page before as it is, which is text', async () => {
    const { next_cursor } = (await call('list_cases', { run_id: 'run-4', limit: 5 })).data
    const { data } = await call('list_cases', { run_id: 'run-4', limit: '5', cursor: next_cursor, cached: null })
    expect(typeof next_cursor).toBe('string')
    expect(data).toEqual(await warned(`/runs/run-4/cases?limit=5&cursor=${String(next_cursor)}`))
  })

  it('names who answered if it was not the provider that was asked', async () => {
    const answered = aCase({ cell: { test_id: 'a' }, answered_by_provider_id: 'fallback' })
    const own = await openOwn()
    await own.ingest(aDocument({ run_id: 'fallback', cases: [answered] }))
    expect((await call('list_cases', { run_id: 'fallback' }, own)).text).toMatch(/ model .* fallback /)
    await own.close()
  })

  it('shows a table in a fence, then the warning', async () => {
    const { text } = await call('list_cases', { run_id: 'run-4', test: 'test-7' })
    const { case_key } = aCase({ cell: { test_id: 'test-7' } })
    expect(text).toBe(
      [
        '<untrusted source="stored_model_output" subject="run-4">',
        'case_key          status  score  provider  prompt  test    stop  empty  answered_by  preview',
        `${case_key}  pass    1      model     terse   test-7  -     -      model        answer 7`,
        '</untrusted>',
        '',
        WARNING,
      ].join('\n'),
    )
  })

  it.each([
    ['no run', {}, /^run_id: is required$/],
    ['an unknown run', { run_id: 'none' }, /^run "none" not found: find_runs lists the run ids$/],
    ['a cursor that is text', { run_id: 'run-4', cursor: 'next' }, /^cursor: must be an integer$/],
    ['a negative cursor', { run_id: 'run-4', cursor: -1 }, /^cursor: must be 0 or more$/],
    ['a status', { run_id: 'run-4', status: 'failed' }, /^status: must be one of pass, fail, error, skip/],
    ['cached', { run_id: 'run-4', cached: 'true' }, /^cached: must be true or false$/],
    ['a long text', { run_id: 'run-4', q: 'x'.repeat(2_001) }, /^q: must be at most 2000 characters$/],
  ])('says what is wrong with %s', async (_, given, message) => {
    const { isError, text } = await call('list_cases', given)
    expect([isError, text]).toEqual([true, expect.stringMatching(message)])
  })
})

describe('case_history', () => {
  const { case_key } = aCase({ cell: { test_id: 'test-3' } })
  const given = { project: 'chat', suite: 'smoke', case_key }

  it('has the points of the HTTP API, and a table of them', async () => {
    const { data, text } = await call('case_history', { ...given, limit: 3 })
    expect(data).toEqual(await warned(`/projects/chat/suites/smoke/cases/${case_key}/history?limit=3`))
    expect(insideFence(text).split('\n')).toEqual([
      'run_id  status  score  created_at',
      'run-12  fail    0      2026-05-04T12:00:00+00:00',
      'run-10  fail    0      2026-05-04T10:00:00+00:00',
      'run-8   fail    0      2026-05-04T08:00:00+00:00',
    ])
  })

  it('has twenty points by default, and clamps its limit to 1 and 50', async () => {
    const own = await openOwn()
    const pointsOf = async (limit?: number): Promise<number> =>
      rowsOf((await call('case_history', { ...given, ...(limit === undefined ? {} : { limit }) }, own)).data, 'points')
        .length
    for (let n = 0; n < 51; n++)
      await own.ingest(
        aDocument({
          run_id: `long-${n}`,
          cases: [aCase({ cell: { test_id: 'test-3' } })],
        }),
      )
    expect([await pointsOf(), await pointsOf(0), await pointsOf(50), await pointsOf(51)]).toEqual([20, 1, 50, 50])
    await own.close()
  })

  it('says which case of which suite was not found', async () => {
    const { isError, text } = await call('case_history', { ...given, case_key: 'none' })
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/^case "none" not found in suite "smoke" of project "chat": list_cases/),
    ])
  })
})

describe('search', () => {
  it('has the hits of the HTTP API, with matches between **', async () => {
    const { data, text } = await call('search', { q: 'answer', limit: 2 })
    const hits = JSON.parse(
      JSON.stringify(await rest('/search?q=answer&limit=2')).replaceAll(/[\uE000\uE001]/g, '**'),
    ) as object
    expect(data).toEqual({ ...hits, _warning: WARNING })
    expect(JSON.stringify(data)).toContain('**answer**')
    expect(text).toMatch(/^<untrusted source="stored_model_output" subject="answer">\n\{\n {2}"runs": \[/)
  })

  it('finds ten of each kind, and clamps its limit to 25', async () => {
    expect(rowsOf((await call('search', { q: 'answer' })).data, 'cases').length).toBe(10)
    expect(rowsOf((await call('search', { q: 'answer', limit: 99 })).data, 'cases').length).toBe(25)
  })

  it('rejects a blank text, and finds nothing for a text without a word', async () => {
    expect(await call('search', { q: ' \n' })).toMatchObject({ isError: true, text: 'q: must contain a word' })
    expect(await call('search')).toMatchObject({ isError: true, text: 'q: is required' })
    expect((await call('search', { q: '!?' })).data).toMatchObject({ runs: [], cases: [] })
  })
})
