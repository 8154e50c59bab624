import type { CaseStatus } from '../../../domain/run/document.ts'
import { setUp } from '../browser.ts'
import { aBody, cacheKeyOf } from '../documents/cache-bodies.ts'
import { aCase, aDocument, type ACase } from '../documents/documents.ts'
import { hostileRun } from '../documents/hostile-cases.ts'
import { seedReviews } from '../documents/reviewed-suite.ts'
import { upload, uploadDocument } from '../documents/sample-data.ts'
import { AN_AGENT, transcriptOf } from '../transcripts/transcripts.ts'
import { uploadTranscript } from '../transcripts/upload-transcript.ts'
import type { RunningServer } from '../servers/server.ts'
import type { Seeded } from './states.ts'

const PASSWORD = 'correct horse battery'
const PAID_KEY = cacheKeyOf('paid')
const NIGHTS = 9
const TESTS = 12
const MODELS = 30
const LONG_NAME = `A case with a long name, ${'which goes on and on, '.repeat(8)}to its end`

/** The first test changes from night to night, the third gets worse in the end, and others stand for each status. */
const statusOf = (night: number, test: number): CaseStatus => {
  if (test === 0) return night % 2 === 0 ? 'pass' : 'fail'
  if (test === 2) return night > 6 ? 'fail' : 'pass'
  return (['pass', 'error', 'pass', 'skip', 'xfail', 'xpass'] as const)[test] ?? 'pass'
}
const outputOf = (night: number, test: number): string =>
  Array.from({ length: 30 }, (_, line) =>
    line === 7 ? `Night ${night} says something else.` : `Line ${line} of the answer to test ${test} is the same.`,
  ).join('\n')
const assertsOf = (status: CaseStatus): ACase['asserts'] => [
  { kind: 'contains', status: 'pass', score: 1, weight: 1, reason: 'found', cached: false },
  {
    kind: 'llm-rubric',
    status: status === 'fail' ? 'fail' : 'pass',
    score: status === 'fail' ? 0.2 : 0.9,
    weight: 2,
    reason: 'The answer is short. '.repeat(12),
    cached: true,
    cost_usd: 0.0012,
    criteria: { type: 'llm-rubric', metric: 'complete', judge: 'a judge', value: 'Is it complete?', threshold: 0.5 },
  },
]
const nightlyCase = (night: number, test: number, provider_id: string): ACase => {
  const status = statusOf(night, test)
  return aCase({
    cell: { provider_id, test_id: `test-${test}` },
    status,
    name: test === 3 ? LONG_NAME : `Case ${test}`,
    tags: [test % 2 === 0 ? 'even' : 'odd'],
    vars: { order: `A-${test}`, text: 'words '.repeat(40) },
    output: outputOf(night, test),
    prompt: {
      messages: [
        { role: 'system', content: 'You answer questions about orders.' },
        { role: 'user', content: `What about order ${test}?` },
        {
          role: 'assistant',
          content: 'Looking.',
          tool_calls: [{ id: 'c1', name: 'find', arguments: { order: test } }],
        },
        { role: 'tool', content: '{"order":"found"}', tool_call_id: 'c1' },
      ],
    },
    tool_calls: [{ id: 'c1', name: 'find', arguments: { order: `A-${test}` } }],
    asserts: status === 'skip' || status === 'error' ? [] : assertsOf(status),
    ...(status === 'error' ? { output: '', error: 'the provider gave no content', error_class: 'provider' } : {}),
    ...(status === 'xfail' ? { expect_fail_reason: 'a known fault' } : {}),
    usage: { input_tokens: 420 + test, output_tokens: 12 + night, cache_read_tokens: 300 },
    cost_usd: 0.0042 * (test + 1),
    latency_ms: 100 * night + 37 * test,
    request: { model: provider_id, temperature: 0 },
    raw: { id: 'msg_7', nested: { deep: [1, 2, { three: null }] } },
    cache_key: PAID_KEY,
    cached: test === 4,
  })
}
const nightlyRun = (night: number) =>
  aDocument({
    run_id: `night-${night}`,
    started_at: `2026-05-0${night}T08:59:00Z`,
    finished_at: `2026-05-0${night}T09:00:00Z`,
    origin: { note: `nightly ${night}`, actor: 'mira', host: 'runner-3' },
    git: { branch: 'main', commit: '9f3c2ab1d04c', dirty: night === 9 },
    ci: { provider: 'github', run_url: 'https://ci.example/runs/812' },
    config_digest: `blake3:${night > 5 ? 'new' : 'old'}`,
    config_snapshot: { description: `nightly ${night}`, providers: ['fast-model', 'slow-model'], temperature: night },
    cases: ['fast-model', 'slow-model'].flatMap((provider) =>
      Array.from({ length: TESTS }, (_, test) => nightlyCase(night, test, provider)),
    ),
    summary: { grader_cost_usd: 0.42, cache_savings_usd: 0.28 },
  })
const widestRun = () =>
  aDocument({
    run_id: 'wide',
    project: 'code',
    suite: 'models',
    finished_at: '2026-05-02T09:00:00Z',
    cases: Array.from({ length: 8 * MODELS }, (_, n) =>
      aCase({
        cell: { provider_id: `model-${n % MODELS}`, test_id: `test-${Math.floor(n / MODELS)}` },
        status: (n * 7) % 11 > 4 ? 'pass' : 'fail',
        score: ((n * 7) % 11) / 10,
        latency_ms: 100 + n,
        asserts: [],
        output: `answer ${n % 5}`,
      }),
    ),
  })

/** A run of one model: the runs of its suite are a leaderboard. */
const modelRun = (model: string, n: number) =>
  aDocument({
    run_id: `of-${model}`,
    project: 'code',
    suite: 'by-model',
    finished_at: `2026-05-0${n + 1}T10:00:00Z`,
    cases: Array.from({ length: 6 }, (_, test) =>
      aCase({
        cell: { provider_id: model, test_id: `test-${test}` },
        status: test <= 2 * n ? 'pass' : 'fail',
        cost_usd: 0.01 * (n + 1),
        latency_ms: 100 * (n + 1),
      }),
    ),
  })
/** A picture of one pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='
const mediaRun = () =>
  aDocument({
    run_id: 'media',
    project: 'code',
    suite: 'media',
    finished_at: '2026-05-02T10:00:00Z',
    cases: [
      aCase({
        cell: { test_id: 'media' },
        output: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${DOT}` } }],
      }),
    ],
  })

/** Fills a new server so that every page has something to show, and returns the session of its first account. */
export const seedEveryPage = async (server: RunningServer): Promise<Seeded> => {
  const session = await setUp(server.url)
  const call = async (method: string, path: string, body?: object | Buffer, token = session): Promise<Response> => {
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) } : {}),
    })
    if (!answer.ok && answer.status !== 401)
      throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
  const signIn = async (username: string): Promise<string> =>
    ((await (await call('POST', '/auth/login', { username, password: PASSWORD })).json()) as { token: string }).token

  await call('POST', '/plans', {
    project: 'chat',
    suite: 'smoke',
    text: 'Nine of ten cases pass with the new configuration.',
    config_digest: 'blake3:new',
    metric: 'pass_rate',
    comparator: '>=',
    threshold: 0.9,
    case_count: 2 * TESTS,
  })
  for (let night = 1; night <= NIGHTS; night++) await upload(server, JSON.stringify(nightlyRun(night)))
  await upload(server, JSON.stringify(widestRun()))
  for (const [n, model] of ['small', 'middle', 'large'].entries())
    await upload(server, JSON.stringify(modelRun(model, n)))
  await upload(server, JSON.stringify(mediaRun()))
  await upload(server, hostileRun())
  await uploadDocument(server, { run_id: 'one', suite: 'one', finished_at: '2026-05-01T09:00:00Z' })
  const { case_key } = nightlyCase(9, 2, 'fast-model')
  await uploadTranscript(server, { run_id: 'night-9', case_key }, transcriptOf(AN_AGENT))
  await call('PUT', '/projects/chat/suites/smoke/baseline', { run_id: 'night-4' })
  await call('PATCH', '/runs/night-4/annotations', {
    note: 'The machine was busy, so half of the cases were slow.\nDo not compare latencies with this run. '.repeat(6),
    add_tags: ['busy machine', 'x'.repeat(100)],
  })
  for (const [text, case_key] of [
    ['Half of the cases ran on the busy machine.\n\nDo not compare latencies.', null],
    [`${'x'.repeat(200)} \u202Eright to left\u0007 <b>not markup</b>\n${'A long paragraph. '.repeat(200)}`, null],
    ['The judge misread the date.', nightlyCase(4, 2, 'fast-model').case_key],
  ] as const)
    await call('POST', '/runs/night-4/comments', { text, case_key })

  const users: Record<string, string> = {}
  for (const [username, role] of [
    ['ci-bot', 'member'],
    ['reviewer', 'viewer'],
  ] as const)
    users[username] = (
      (await (await call('POST', '/users', { username, password: PASSWORD, role })).json()) as { id: string }
    ).id
  await call('PUT', '/sets/code/suites/models/restriction')
  await call('PUT', `/sets/code/suites/models/grants/${users['ci-bot']}`, { level: 'upload' })
  await call('POST', '/apikeys', { name: 'uploads', scope: 'write' }, await signIn('ci-bot'))
  await call('POST', '/apikeys', { name: 'reads', scope: 'read' })
  await call('POST', '/holds', { project: 'chat', suite: 'one', reference: 'case-2026/7', note: 'Ask counsel first.' })
  await call('POST', '/holds', { run_id: 'night-4', reference: 'case-2026/8' })
  await call('POST', '/views', { name: 'Failing runs', path: '/runs', query: 'status=fail', pinned: true })
  const queues = await seedReviews(call)
  await call('POST', '/auth/login', { username: 'reviewer', password: 'wrong wrong wrong' })

  for (let n = 0; n < 6; n++)
    await call(
      'PUT',
      `/cache/${cacheKeyOf(`judge ${n}`)}`,
      aBody({ kind: 'judge', model: 'judge-model', cost_usd: 0.01 }),
    )
  await call(
    'PUT',
    `/cache/${PAID_KEY}`,
    aBody({
      model: 'fast-model',
      output: 'The walrus answers.',
      request: {
        transport: 'http',
        method: 'POST',
        path: '/v1/messages',
        body: { messages: [{ role: 'user', content: 'Ask the walrus.' }] },
      },
      cost_usd: 0.28,
      usage: { input_tokens: 570, output_tokens: 3335 },
      provider_latency_ms: 2100,
      stop_reason: 'end_turn',
      raw: { id: 'msg_7' },
    }),
  )
  await call('GET', `/cache/${PAID_KEY}`)
  const link = async (path: string, body?: object) =>
    ((await (await call('POST', path, body)).json()) as { path: string }).path
  const grants = [
    { project: 'code', suite: 'models', level: 'upload' },
    { project: 'x'.repeat(120), suite: null, level: 'view' },
  ]
  const links = {
    invite: await link('/links', {
      role: 'member',
      label: `\u202EA long note ${'for admins '.repeat(8)}`,
      grants,
      return_to: '/runs',
    }),
    reset: await link(`/users/${users['ci-bot']}/reset-link`),
  }
  return { session, users, links, queues }
}
