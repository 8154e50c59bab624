import { afterAll, describe, expect, it } from 'vitest'
import { WARNING } from '../../../../domain/agent-text/fence.ts'
import { callTool, ENDLESS, MCP, insideFence, type McpMessage } from '../../../support/http/mcp.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { openApp } from '../../../support/servers/app.ts'

// Tools that return one object: its members are those of the HTTP API, and its text is JSON.

const PUBLIC_URL = 'https://evals.example'
const HEAVY = ['raw', 'request', 'prompt', 'tool_calls', 'error_details'] as const
const heavyCase = aCase({
  cell: { test_id: 'heavy' },
  status: 'error',
  output: 'y'.repeat(25_000),
  raw: { id: 12345678901234567890n.toString() },
  request: { model: 'm' },
  prompt: { text: 'Why?' },
  tool_calls: [{ name: 'look', arguments: {} }],
  error: 'failed',
  error_details: { status: 500 },
})
const statuses = ['pass', 'fail', 'pass', 'fail', 'skip', 'pass'] as const
const runOf = (run_id: string, count: number, shift: number) =>
  aDocument({
    run_id,
    project: 'chat',
    suite: 'smoke',
    started_at: `2026-05-0${shift + 1}T09:00:00Z`,
    finished_at: `2026-05-0${shift + 1}T09:00:00Z`,
    cases: Array.from({ length: count }, (_, n) =>
      aCase({ cell: { test_id: `test-${n}` }, status: statuses[(n + shift) % statuses.length] ?? 'pass' }),
    ),
  })
afterAll(() => spec.close())

const call = (name: string, given: McpMessage = {}) => callTool(spec.sendAs('read'), name, given)
const rest = async (path: string): Promise<Record<string, unknown>> =>
  JSON.parse((await spec.sendAs('read')('GET', path)).body) as Record<string, unknown>
const spec = await openApp({ mcp: MCP, publicUrl: PUBLIC_URL, parts: () => ({ callBudget: ENDLESS }) })
await spec.ingest(runOf('base', 60, 0))
await spec.ingest(runOf('head', 61, 1))
await spec.ingest(aDocument({ run_id: 'heavy', cases: [heavyCase] }))
// A number that no double has.
await spec.ingest(
  JSON.stringify(aDocument({ run_id: 'exact', config_snapshot: { seed: 'SEED' } })).replace(
    '"SEED"',
    '12345678901234567890',
  ),
)
await spec.ingest(aDocument({ run_id: 'no config', config_snapshot: null }))
await spec.ingest(
  aDocument({
    run_id: 'wide',
    cases: Array.from({ length: 2_000 }, (_, n) =>
      aCase({ cell: { test_id: `t${n % 100}`, provider_id: `p${Math.floor(n / 100)}` } }),
    ),
  }),
)

// Of ten tests, `large` passes all, `small, old` the last four.
await spec.ingest(
  aDocument({
    run_id: 'models',
    cases: ['small, old', 'large'].flatMap((provider_id) =>
      Array.from({ length: 10 }, (_, n) =>
        aCase({
          cell: { test_id: `t${n}`, provider_id, prompt_id: 'p' },
          status: provider_id === 'large' || n >= 6 ? 'pass' : 'fail',
          cost_usd: 0.5,
        }),
      ),
    ),
  }),
)

describe('columns of a run', () => {
  const given = { base_run_id: 'models', head_run_id: 'models', base_column: 'small%2C old', head_column: 'large,p' }

  it('are compared as the HTTP API compares them, with the cases that changed', async () => {
    const { data, text } = await call('compare_runs', given)
    const path = '/runs/models/compare/models'
    const query = 'base_column=small%252C old&head_column=large,p'
    const { verdict, pairs, worse, better, p_value, mid_p, difference } = await rest(`${path}/statistics?${query}`)
    expect([verdict, worse, better, pairs]).toEqual(['better', 0, 6, 10])
    expect(data).toMatchObject({
      summary: { newly_passing: 6, newly_failing: 0, added: 0, removed: 0 },
      columns: {
        base: { provider_id: 'small, old' },
        head: { provider_id: 'large', prompt_id: 'p' },
        ...{ verdict, pairs, worse, better, p_value, mid_p, difference },
      },
      stats: { base_pass_rate: { passed: 4, total: 10 }, head_pass_rate: { passed: 10, total: 10 } },
      totals: { base: { cost_usd: 5, case_count: 10, duration_ms: null }, head: { cost_usd: 5, pass_count: 10 } },
    })
    const listed = (await rest(`${path}/cases?${query}`)) as {
      readonly cases: ReadonlyArray<{ readonly head: { readonly case_key: string } }>
    }
    const rows = data['cases'] as ReadonlyArray<{ readonly case_key: string }>
    expect(rows.map(({ case_key }) => case_key).sort()).toEqual(listed.cases.map(({ head }) => head.case_key).sort())
    expect(text).toContain('head column against base column: better; 0 worse, 6 better of 10 cases')
    // Without columns, a run is as it is.
    const whole = await call('compare_runs', { base_run_id: 'models', head_run_id: 'models' })
    expect([whole.data['columns'], whole.data['cases']]).toEqual([undefined, []])
  })

  it('are grouped as the HTTP API groups them', async () => {
    const { data, text } = await call('compare_runs', { ...given, by: 'tag' })
    const { groups } = await rest('/runs/models/compare/models/groups?base_column=small%252C old&head_column=large,p')
    expect(data['groups']).toEqual(groups)
    expect(text).toContain('shared cases by group, p adjusted for the number of groups:')
    expect((await call('compare_runs', given)).data['groups']).toBeUndefined()
  })

  it('are in the leaderboard that the HTTP API returns', async () => {
    const { data } = await call('get_run', { run_id: 'models', include: ['leaderboard'] })
    expect(data['leaderboard']).toEqual(await rest('/runs/models/leaderboard'))
    // The base is always in it.
    const asked = {
      run_id: 'models',
      include: ['leaderboard'],
      leaderboard_limit: 1,
      leaderboard_base: 'small%2C old,p',
    }
    expect((await call('get_run', asked)).data['leaderboard']).toMatchObject({
      column_count: 2,
      columns: [{ provider_id: 'large', against_base: { better: 6 } }, { provider_id: 'small, old' }],
    })
  })

  it.each([
    [
      'an unknown column',
      { base_column: 'none' },
      /^base_column: the run has no case in the column "none"; its columns/,
    ],
    ['two commas', { head_column: 'a,b,c' }, /^head_column: must be PROVIDER or PROVIDER,PROMPT/],
  ])('says what is wrong with %s', async (_, wrong, message) => {
    const { isError, text } = await call('compare_runs', { ...given, ...wrong })
    expect([isError, text]).toEqual([true, expect.stringMatching(message)])
  })

  it('link to their page', async () => {
    const { links } = await call('compare_runs', given)
    expect(links).toEqual([
      expect.objectContaining({
        uri: `${PUBLIC_URL}/compare/models/models?base_column=small%252C+old&head_column=large%2Cp`,
      }),
    ])
  })
})

describe('get_run', () => {
  it('has the run alone, as JSON', async () => {
    const { data, text, isError } = await call('get_run', { run_id: 'base' })
    expect([isError, data]).toEqual([false, { run: await rest('/runs/base'), _warning: WARNING }])
    expect(JSON.parse(insideFence(text))).toEqual(data)
    expect(text).toContain('\n  "run": {\n')
  })

  it('includes the matrix and the configuration', async () => {
    const { data } = await call('get_run', { run_id: 'base', include: ['matrix', 'config'] })
    expect(data).toEqual({
      run: await rest('/runs/base'),
      matrix: await rest('/runs/base/matrix?limit=25'),
      config: await rest('/runs/base/config'),
      _warning: WARNING,
    })
    const page = await call('get_run', { run_id: 'base', include: ['matrix'], matrix_limit: '10', matrix_cursor: '24' })
    expect(page.data['matrix']).toEqual(await rest('/runs/base/matrix?limit=10&cursor=24'))
  })

  it('answers for a run without a configuration', async () => {
    const { data, isError } = await call('get_run', { run_id: 'no config', include: ['config'] })
    expect([isError, data['config']]).toEqual([false, await rest('/runs/no%20config/config')])
  })

  it('keeps all digits of a number', async () => {
    expect((await call('get_run', { run_id: 'exact', include: ['config'] })).text).toContain(
      '"seed": 12345678901234567890',
    )
  })

  it('refuses a matrix of more than 64 KiB, and says how to narrow it', async () => {
    const { isError, text } = await call('get_run', { run_id: 'wide', include: ['matrix'] })
    expect([isError, text]).toEqual([true, expect.stringMatching(/larger than 64 KiB: narrow .* lower/)])
    expect((await call('get_run', { run_id: 'wide', include: ['matrix'], matrix_limit: 3 })).isError).toBe(false)
  })

  it.each([
    ['an unknown run', { run_id: 'none' }, /^run "none" not found: find_runs lists/],
    [
      'an unknown part',
      { run_id: 'base', include: ['cases'] },
      /^include\.0: must be one of matrix, config, leaderboard$/,
    ],
    [
      'a part that is no list',
      { run_id: 'base', include: 'matrix' },
      /^include: must be an array of matrix, config, leaderboard$/,
    ],
  ])('says what is wrong with %s', async (_, given, message) => {
    const { isError, text } = await call('get_run', given)
    expect([isError, text]).toEqual([true, expect.stringMatching(message)])
  })
})

describe('get_case', () => {
  const given = { run_id: 'heavy', case_key: heavyCase.case_key }
  const caseOf = ({ data }: { readonly data: Readonly<Record<string, unknown>> }) =>
    data['case'] as Record<string, unknown>

  it('leaves out the long members, with a hint for each that the case has', async () => {
    const found = caseOf(await call('get_case', given))
    for (const name of HEAVY) {
      expect(found).not.toHaveProperty(name)
      expect(found[`${name}_omitted`]).toBe(`left out: call get_case again with fields ["${name}"]`)
    }
    const small = caseOf(
      await call('get_case', { run_id: 'base', case_key: aCase({ cell: { test_id: 'test-0' } }).case_key }),
    )
    expect(Object.keys(small).filter((name) => name.endsWith('_omitted'))).toEqual([])
  })

  it.each(HEAVY)('returns %s if it is asked for', async (name) => {
    const found = caseOf(await call('get_case', { ...given, fields: [name] }))
    expect(found[name]).toEqual(heavyCase[name])
    expect(Object.keys(found).filter((member) => member.endsWith('_omitted')).length).toBe(HEAVY.length - 1)
  })

  it('has the other members of the HTTP API, fenced and with a warning', async () => {
    const { data, text } = await call('get_case', { ...given, fields: [...HEAVY], max_chars: 20_000 })
    const { output, ...others } = await rest(`/runs/heavy/cases/${heavyCase.case_key}`)
    const { output: cut, ...shown } = caseOf({ data })
    expect(shown).toEqual(others)
    expect(cut).toBe(`${String(output).slice(0, 20_000)}…[truncated 5000 of 25000 chars]`)
    expect([data['_truncated'], data['_warning']]).toEqual([
      [{ path: '/case/output', kept: 20_000, total: 25_000 }],
      WARNING,
    ])
    expect(text.split('\n').slice(0, 2)).toEqual([
      `<untrusted source="stored_model_output" subject="${heavyCase.case_key}">`,
      '{',
    ])
    expect(text.endsWith(`\n</untrusted>\n\n${WARNING}`)).toBe(true)
  })

  it('cuts each text at 2,000 characters, and clamps max_chars to 1 and 20,000', async () => {
    for (const [max_chars, kept] of [
      [undefined, 2_000],
      [0, 1],
      [-5, 1],
      [99_999, 20_000],
    ] as const) {
      const { data } = await call('get_case', max_chars === undefined ? given : { ...given, max_chars })
      expect(data['_truncated']).toContainEqual({ path: '/case/output', kept, total: 25_000 })
    }
  })

  it.each([
    ['an unknown case', { ...given, case_key: 'none' }, /^case "none" not found in run "heavy": list_cases lists/],
    ['an unknown run', { ...given, run_id: 'none' }, /^run "none" not found: find_runs lists/],
    ['an unknown member', { ...given, fields: ['output'] }, /^fields\.0: must be one of raw, request, prompt, tool_/],
  ])('says what is wrong with %s', async (_, wrong, message) => {
    const { isError, text } = await call('get_case', wrong)
    expect([isError, text]).toEqual([true, expect.stringMatching(message)])
  })
})

describe('compare_runs', () => {
  const given = { base_run_id: 'base', head_run_id: 'head' }
  const CHANGED = ['newly_failing', 'newly_passing', 'added', 'removed']
  type Row = { readonly case_key: string; readonly delta: string }
  const whole = async () => (await rest('/runs/base/compare/head')) as unknown as { readonly cases: readonly Row[] }

  it('has what the HTTP API has, but of the cases only those that changed', async () => {
    const { data } = await call('compare_runs', given)
    const expected = await whole()
    const cases = expected.cases.filter(({ delta }) => CHANGED.includes(delta))
    expect(cases.length).toBeGreaterThan(20)
    expect(data).toEqual({
      ...expected,
      cases,
      _filtered: {
        delta: CHANGED,
        rows_omitted: expected.cases.length - cases.length,
        hint: expect.stringContaining('delta') as unknown,
      },
      _warning: WARNING,
    })
  })

  it.each(['newly_failing', 'newly_passing', 'still_failing', 'still_passing', 'unchanged', 'added', 'removed'])(
    'lists the cases that are %s',
    async (delta) => {
      const { data } = await call('compare_runs', { ...given, delta: [delta] })
      const { cases } = await whole()
      expect(data['cases']).toEqual(cases.filter((row) => row.delta === delta))
    },
  )

  it('cuts the rows at its limit, which is 50 at most', async () => {
    const all = ['newly_failing', 'newly_passing', 'still_failing', 'still_passing', 'unchanged', 'added', 'removed']
    const { cases } = await whole()
    for (const [limit, listed] of [
      [3, 3],
      [0, 1],
      [99, 50],
      [undefined, 50],
    ] as const) {
      const { data } = await call('compare_runs', { ...given, delta: all, ...(limit === undefined ? {} : { limit }) })
      expect(data['cases']).toEqual(cases.slice(0, listed))
      expect(data['_filtered']).toMatchObject({ rows_omitted: cases.length - listed })
    }
  })

  it('shows the summary, the pass rates with intervals, the test and a table', async () => {
    const { text } = await call('compare_runs', { ...given, limit: 1 })
    const [summary, rates, blank, header] = insideFence(text).split('\n')
    expect(summary).toMatch(
      /^newly_failing \d+, newly_passing \d+, still_failing \d+, output_changed 0, added 1, removed 0$/,
    )
    expect(rates).toMatch(
      /^pass rate \d+\.\d% \(\d+\/60, 95% Wilson interval \d+\.\d% to \d+\.\d%\) -> .*; McNemar p = [\d.e-]+, (?:not )?significant$/,
    )
    expect([blank, header?.split(/ {2,}/)]).toEqual([
      '',
      ['case_key', 'delta', 'base', 'head', 'score_delta', 'change'],
    ])
  })

  it('says that two runs share no case', async () => {
    const { data } = await call('compare_runs', { base_run_id: 'wide', head_run_id: 'base' })
    expect(data['_filtered']).toMatchObject({ hint: expect.stringContaining('share no case') as unknown })
  })

  it.each([
    ['an unknown base', { ...given, base_run_id: 'none' }, /^run "none" not found/],
    ['an unknown head', { ...given, head_run_id: 'nil' }, /^run "nil" not found/],
    ['an unknown delta', { ...given, delta: ['worse'] }, /^delta\.0: must be one of newly_failing, newly_passing/],
  ])('says what is wrong with %s', async (_, wrong, message) => {
    const { isError, text } = await call('compare_runs', wrong)
    expect([isError, text]).toEqual([true, expect.stringMatching(message)])
  })
})

it('get_server_info has the facts of the service, and on request those of the cache', async () => {
  const { data, text } = await call('get_server_info')
  expect(data).toEqual({ server: await rest('/meta') })
  expect(text).toBe(JSON.stringify(data, null, 2))
  expect((await call('get_server_info', { include: ['cache'] })).data).toEqual({
    server: await rest('/meta'),
    cache: await rest('/cache/stats'),
  })
  expect(await call('get_server_info', { include: ['users'] })).toMatchObject({
    isError: true,
    text: 'include.0: must be one of cache',
  })
})

describe('the links to pages of the web app', () => {
  const key = aCase({ cell: { test_id: 'test-0' } }).case_key
  it.each([
    [
      'find_runs',
      { project: 'chat', since: '2026-05-01T00:00:00Z', limit: 1 },
      '/runs?project=chat&cached=all&since=1777593600000',
    ],
    ['find_runs', {}, '/runs?cached=all'],
    ['find_runs', { cached: 'exclude' }, '/runs?cached=exclude'],
    ['find_runs', { group_by: 'project' }, '/projects'],
    ['find_runs', { group_by: 'suite', project: 'a/b' }, '/projects/a%2Fb'],
    ['get_run', { run_id: 'base' }, '/runs/base'],
    ['list_cases', { run_id: 'base', status: 'fail' }, '/runs/base?status=fail'],
    ['list_cases', { run_id: 'base', cached: true, q: 'a&b', limit: 1 }, '/runs/base?q=a%26b&cached=true'],
    ['get_case', { run_id: 'base', case_key: key }, `/runs/base/cases/${key}`],
    ['case_history', { project: 'chat', suite: 'smoke', case_key: key }, `/projects/chat/suites/smoke/cases/${key}`],
    ['compare_runs', { base_run_id: 'base', head_run_id: 'head' }, '/compare/base/head'],
    ['search', { q: 'a b' }, '/search?q=a+b'],
  ])('%s %j', async (name, given, path) => {
    const { links } = await call(name, given)
    expect(links).toEqual([
      {
        type: 'resource_link',
        uri: `${PUBLIC_URL}${path}`,
        name: expect.any(String) as unknown,
        mimeType: 'text/html',
      },
    ])
  })

  it('follow no error and no facts of the server, and exist only with a public URL', async () => {
    expect((await call('get_run', { run_id: 'none' })).links).toEqual([])
    expect((await call('get_server_info')).links).toEqual([])
    const without = await openApp({ mcp: MCP })
    try {
      expect((await callTool(without.sendAs('read'), 'find_runs')).links).toEqual([])
    } finally {
      await without.close()
    }
  })
})
