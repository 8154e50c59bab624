import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { ENDLESS, MCP, type McpMessage } from '../../support/http/mcp.ts'
import { openApp, type Send, type SpecApp } from '../../support/servers/app.ts'
import { runCount } from '../../support/random/runs.ts'

// Two services differ only in hidden data. Viewers without access send the same calls to both, and must get the same
// bytes, whatever the tool, the arguments and the error.

const VIEWERS = ['none', 'read', 'ann'] as const
type Viewer = (typeof VIEWERS)[number]
type Peer = { readonly spec: SpecApp; readonly senders: Readonly<Record<Viewer, Send>> }

const SHOWN = [
  ['v0', 'open', 's'],
  ['v1', 'half', 'light'],
  ['v2', 'half', 'dark'],
  ['v3', null, null],
] as const
const HIDDEN = [
  ['h0', 'secret', 's'],
  ['h1', 'half', 'darker'],
] as const

const upload = async (
  spec: SpecApp,
  [run_id, project, suite]: readonly [string, string | null, string | null],
  n: number,
) => {
  const at = new Date(Date.UTC(2026, 4, 4, 9, n)).toISOString()
  const document = aDocument({
    run_id,
    project,
    suite,
    started_at: at,
    finished_at: at,
    git: { branch: 'main', commit: 'c', dirty: false },
    filters: { tags: ['hush'] },
    cases: [
      aCase({ output: `needle ${run_id.startsWith('h') ? 'clandestine' : 'hay'}` }),
      aCase({ cell: { test_id: 'farewell' }, status: n % 2 === 0 ? 'fail' : 'pass', output: 'needle' }),
    ],
  })
  expect((await spec.ingest(document, { caller: 'admin' })).statusCode).toBe(201)
}

const open = async (hasHidden: boolean): Promise<Peer> => {
  const spec = await openApp({
    mode: 'open',
    mcp: MCP,
    publicUrl: 'https://evals.example',
    now: () => Date.UTC(2026, 4, 5),
    parts: () => ({ callBudget: ENDLESS }),
  })
  await spec.restrict('secret')
  for (const suite of ['dark', 'darker']) await spec.restrict('half', suite)
  const ann = await spec.addUser('ann')
  await spec.grant('ann', 'view', 'half', 'dark')
  const runs = [...SHOWN, ...HIDDEN].sort(([a], [b]) => (a.slice(1) < b.slice(1) ? -1 : 1))
  for (const [n, run] of runs.entries()) if (hasHidden || run[0].startsWith('v')) await upload(spec, run, n)
  if (hasHidden)
    await spec.sendAs('admin')('PUT', '/projects/secret/suites/s/baseline', {
      headers: { 'content-type': 'application/json' },
      body: { run_id: 'h0' },
    })
  return { spec, senders: { none: spec.sendAs(null), read: spec.sendAs('read'), ann: ann.send } }
}
afterAll(async () => {
  await withHidden.spec.close()
  await withoutHidden.spec.close()
})

const oneOf = (...values: ReadonlyArray<string | number | boolean>) => fc.constantFrom(...values)
const runId = oneOf('v0', 'v1', 'v2', 'h0', 'h1', 'none')
const project = oneOf('open', 'half', 'secret', 'none')
const suite = oneOf('s', 'light', 'dark', 'darker')
const caseKey = oneOf(aCase().case_key, aCase({ cell: { test_id: 'farewell' } }).case_key, 'none')
const limit = fc.integer({ min: -1, max: 60 })
const word = oneOf('needle', 'clandestine', 'hay', 'secret', 'half', 'darker', 'h0')

/** The arguments of each tool, some of them wrong. */
const CALLS: Readonly<Record<string, fc.Arbitrary<McpMessage>>> = {
  find_runs: fc.record(
    {
      project,
      suite,
      tag: oneOf('hush'),
      branch: oneOf('main'),
      actor: oneOf('admin', 'ben'),
      status: oneOf('pass', 'fail'),
      cached: oneOf('exclude', 'only'),
      since: oneOf('2026-05-04T09:01:00Z', 'x'),
      until: oneOf('2026-05-04T09:02:00Z', 'x'),
      origin: oneOf('ci', 'local'),
      group_by: oneOf('project', 'suite'),
      limit,
      cursor: oneOf('1777885320000:h1', '1777885320000:v1', 'x'),
    },
    { requiredKeys: [] },
  ),
  get_run: fc.record(
    {
      run_id: runId,
      include: fc.subarray(['matrix', 'leaderboard', 'config']),
      leaderboard_base: oneOf('model', 'none'),
      leaderboard_limit: limit,
      matrix_cursor: fc.integer({ min: -1, max: 2 }),
      matrix_limit: limit,
    },
    { requiredKeys: [] },
  ),
  list_cases: fc.record(
    {
      run_id: runId,
      q: word,
      limit,
      status: oneOf('fail', 'x'),
      tag: oneOf('hush', 'none'),
      provider: oneOf('model', 'none'),
      prompt: oneOf('terse', 'none'),
      test: oneOf('farewell', 'none'),
      stop_reason: oneOf('end_turn'),
      error_class: oneOf('timeout'),
      empty_reason: oneOf('refusal'),
      cached: fc.boolean(),
      cursor: fc.integer({ min: -1, max: 2 }),
    },
    { requiredKeys: ['run_id'] },
  ),
  get_case: fc.record(
    { run_id: runId, case_key: caseKey, fields: fc.subarray(['raw', 'x']) },
    { requiredKeys: ['run_id'] },
  ),
  case_history: fc.record(
    { project, suite, case_key: caseKey, limit },
    { requiredKeys: ['project', 'suite', 'case_key'] },
  ),
  compare_runs: fc.record(
    {
      base_run_id: runId,
      head_run_id: runId,
      base_column: oneOf('model', 'none'),
      head_column: oneOf('model', 'model,terse'),
      by: oneOf('tag', 'var.city'),
      delta: fc.subarray(['still_passing', 'newly_failing', 'added']),
      limit,
    },
    { requiredKeys: ['base_run_id', 'head_run_id'] },
  ),
  search: fc.record({ q: word, limit, cached: oneOf('exclude', 'all') }, { requiredKeys: ['q'] }),
  review_queues: fc.record({ project, suite, limit, queue_id: oneOf('queue', 'none') }, { requiredKeys: [] }),
  get_server_info: fc.record({ include: fc.subarray(['cache', 'x']) }),
}
const call = fc.oneof(
  ...Object.entries(CALLS).map(([name, given]) => given.map((chosen) => ({ name, arguments: chosen }))),
)

const answerOf = async ({ senders }: Peer, viewer: Viewer, params: McpMessage): Promise<string> => {
  const { statusCode, headers, rawPayload } = await senders[viewer]('POST', '/mcp', {
    headers: { 'x-request-id': 'same' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const { date: _, ...others } = headers
  return `${statusCode} ${JSON.stringify(others)} ${rawPayload.toString('base64')}`
}
const [withHidden, withoutHidden] = [await open(true), await open(false)]

it('answers as if hidden runs did not exist', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...VIEWERS), call, async (viewer, params) => {
      expect(await answerOf(withHidden, viewer, params)).toBe(await answerOf(withoutHidden, viewer, params))
    }),
    { numRuns: runCount(400) },
  )
})

it('shows the hidden runs to an admin, which proves that they are there', async () => {
  for (const name of ['h0', 'h1']) {
    const params = { name: 'get_run', arguments: { run_id: name } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const [shown, absent] = [withHidden, withoutHidden].map(({ spec }) =>
      spec.sendAs('admin')('POST', '/mcp', { body }),
    )
    expect((await shown)?.body).toContain(`"id":"${name}"`)
    expect((await absent)?.body).toContain('not found')
  }
})
