import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApp, TOKENS } from '../support/servers/app.ts'
import type { SpecApp } from '../support/servers/app.ts'
import { cacheKeyOf } from '../support/documents/cache-bodies.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'
import { rawAnswer, rawHeader } from '../support/http/raw-http.ts'
import type { RawRequest } from '../support/http/raw-http.ts'
import { runCount } from '../support/random/runs.ts'

// Two services differ only in hidden data: in one of them it is uploaded, pinned and deleted, in the other it never
// exists. Viewers without access send the same requests to both, again and again. They must get the same bytes, and a
// response cached by one service must be cached by the other.

const KEY = aCase().case_key
const RESPONSE = cacheKeyOf('response')

type Peer = {
  readonly spec: SpecApp
  readonly tokens: Readonly<Record<string, string>>
  /** How many responses were computed, not read from the cache. */
  readonly computed: () => number
  readonly send: (viewer: Viewer, request: RawRequest) => Promise<string>
}

const VIEWERS = ['nobody', 'read', 'ann', 'cat'] as const
type Viewer = (typeof VIEWERS)[number]

const openPeer = async (): Promise<Peer> => {
  let computed = 0
  const spec = await openApp({
    mode: 'open',
    now: () => Date.UTC(2026, 4, 5),
    parts: ({ cache }) => ({
      cache: {
        ...cache,
        answer: (key, asker, tags, aborted, fill) =>
          cache.answer(key, asker, tags, aborted, (signal) => (computed++, fill(signal))),
      },
    }),
  })
  await spec.restrict('secret')
  await spec.restrict('half', 'dark')
  await spec.restrict('half', 'darker')
  const tokens: Record<string, string> = { ...TOKENS }
  for (const name of ['ann', 'ben', 'cat']) tokens[name] = (await spec.addUser(name)).token
  await spec.grant('ann', 'view', 'half', 'dark')
  await spec.grant('ben', 'manage', 'secret')
  await spec.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = spec.app.server.address() as AddressInfo
  const send: Peer['send'] = (viewer, { headers, ...request }) =>
    rawAnswer(port, {
      ...request,
      path: `/api/v1${request.path}`,
      headers: { ...(tokens[viewer] === undefined ? {} : { authorization: `Bearer ${tokens[viewer]}` }), ...headers },
    })
  return { spec, tokens, computed: () => computed, send }
}

/** Sets that viewers may see (`half/dark` only with a grant, as ann has), and sets that no viewer may see. */
const SHOWN = [
  ['open', 's'],
  ['half', 'light'],
  ['half', null],
  ['half', 'dark'],
  [null, 's'],
] as const
const HIDDEN = [
  ['secret', 's'],
  ['secret', null],
  ['half', 'darker'],
] as const
type SetName = (typeof SHOWN)[number] | (typeof HIDDEN)[number]

const RUNS = [0, 1, 2, 3, 4, 5] as const
const shownRun = (run: number) => ({ id: `v${run}`, set: SHOWN[run % SHOWN.length] ?? SHOWN[0] })
const hiddenRun = (run: number) => ({ id: `h${run}`, set: HIDDEN[run % HIDDEN.length] ?? HIDDEN[0] })

const READ_PATHS = [
  ...[
    '',
    '?limit=2',
    '?project=half',
    '?project=half&suite=light',
    '?suite=s',
    '?cached=exclude',
    '?actor=write',
    '?tag=hush',
  ].map((query) => `/runs${query}`),
  ...['?project=secret&suite=s', '?project=secret', '?project=half&suite=darker', '?suite=darker', '?tag=covert'].map(
    (query) => `/runs${query}`,
  ),
  ...[
    '/projects',
    '/projects/half/suites',
    '/projects/secret/suites',
    '/sets',
    '/sets/half',
    '/sets/secret',
    '/sets/half/suites/light',
    '/sets/half/suites/darker',
    '/sets/half/suites/dark',
  ],
  '/overview',
  ...['/search?q=needle', '/search?q=clandestine', '/search?q=half', `/cache/entries/${RESPONSE}/runs`],
  ...[
    '',
    '/in-suite',
    '/cases',
    '/matrix',
    '/config',
    '/distribution',
    '/export',
    `/cases/${KEY}`,
    `/cases/${KEY}/in-suite`,
    '/compare/v6',
    '/compare/h0',
  ].flatMap((path) => [`/runs/v1${path}`, `/runs/v0${path}`]),
  ...['', '/in-suite', '/cases', '/matrix', '/export', '/compare/v1'].map((path) => `/runs/h0${path}`),
  `/projects/half/suites/light/cases/${KEY}/history`,
  `/projects/half/suites/darker/cases/${KEY}/history`,
  ...['grid?fold=trials&order=name', 'flakiness', `cases/${KEY}/timeline`].map(
    (path) => `/projects/half/suites/light/${path}`,
  ),
  '/projects/half/suites/darker/grid',
]

const LOUD = { filters: { tags: ['hush', 'covert'] }, origin: { actor: 'spy', note: 'clandestine' } }
const upload = async (
  { spec }: Peer,
  { id, set: [project, suite] }: { readonly id: string; readonly set: SetName },
  isHidden: boolean,
): Promise<void> => {
  const document = aDocument({
    run_id: id,
    project,
    suite,
    ...(isHidden ? LOUD : { filters: { tags: ['hush'] } }),
    cases: [aCase({ output: isHidden ? 'clandestine needle' : 'needle', cached: isHidden, cache_key: RESPONSE })],
  })
  expect([200, 201]).toContain((await spec.ingest(document, { caller: 'admin' })).statusCode)
}
const pin = (
  { spec }: Peer,
  { id, set: [project, suite] }: { readonly id: string; readonly set: SetName },
  method: 'PUT' | 'DELETE',
) =>
  spec.sendAs('admin')(
    method,
    `/projects/${project ?? 'none'}/suites/${suite ?? 'none'}/baseline`,
    method === 'PUT' ? { headers: { 'content-type': 'application/json' }, body: { run_id: id } } : {},
  )

const run = fc.constantFrom(...RUNS)
const action = fc.constantFrom('upload', 'upload', 'upload', 'delete', 'pin', 'unpin')
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('hidden' as const), does: action, run }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('shown' as const), does: action, run }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('access' as const),
      to: fc.constantFrom('restrict', 'lift', 'grant', 'revoke'),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
const question = fc.record({
  path: fc.constantFrom(...READ_PATHS),
  viewer: fc.constantFrom(...VIEWERS),
  method: fc.constantFrom('GET', 'GET', 'HEAD'),
  connection: fc.constantFrom('close' as const, 'keep-alive' as const),
  /** Sends If-None-Match with the ETag of its last response. */
  held: fc.boolean(),
})
const history = fc.record({
  steps: fc.array(step, { minLength: 8, maxLength: 20 }),
  questions: fc.array(question, { minLength: 6, maxLength: 6 }),
})

describe('hidden data', () => {
  let full: Peer
  let empty: Peer
  beforeAll(async () => {
    ;[full, empty] = await Promise.all([openPeer(), openPeer()])
    // Some visible runs exist all the time, so that responses have content.
    for (const peer of [full, empty])
      for (const id of ['v6', 'v7']) await upload(peer, { id, set: ['half', 'light'] }, false)
  })
  afterAll(() => Promise.all([full.spec.close(), empty.spec.close()]))

  const change = async (
    peer: Peer,
    target: { readonly id: string; readonly set: SetName },
    action: string,
    isHidden: boolean,
  ): Promise<void> => {
    if (action === 'upload') await upload(peer, target, isHidden)
    else if (action === 'delete') await peer.spec.sendAs('admin')('DELETE', `/runs/${target.id}`)
    else await pin(peer, target, action === 'pin' ? 'PUT' : 'DELETE')
  }
  let isRestricted = false
  let isGranted = false
  const changeAccess = async (to: string): Promise<void> => {
    for (const { spec } of [full, empty]) {
      if (to === 'restrict') await spec.restrict('open', 's')
      else if (to === 'lift' && isRestricted) await spec.lift('open', 's')
      else if (to === 'grant') await spec.grant('cat', 'upload', 'half', 'dark')
      else if (to === 'revoke' && isGranted) await spec.revoke('cat', 'half', 'dark')
    }
    if (to === 'restrict' || to === 'lift') isRestricted = to === 'restrict'
    else isGranted = to === 'grant'
  }
  const apply = async (drawn: Step): Promise<void> => {
    if (drawn.kind === 'hidden') await change(full, hiddenRun(drawn.run), drawn.does, true)
    else if (drawn.kind === 'shown')
      for (const peer of [full, empty]) await change(peer, shownRun(drawn.run), drawn.does, false)
    else await changeAccess(drawn.to)
  }

  /** Sends a request; returns the response and how many responses were computed for it. */
  const measure = async (peer: Peer, viewer: Viewer, request: RawRequest) => {
    const before = peer.computed()
    const answer = await peer.send(viewer, request)
    return { answer, made: peer.computed() - before }
  }

  it('changes no byte of a response and no cache hit, after random changes', async () => {
    const tally = { made: 0, fromMemory: 0, unchanged: 0 }
    await fc.assert(
      fc.asyncProperty(history, async ({ steps, questions }) => {
        const etags = new Map<object, string>()
        for (const drawn of [null, ...steps]) {
          if (drawn) await apply(drawn)
          for (const question of questions) {
            const tag = question.held ? etags.get(question) : undefined
            const request = { ...question, headers: tag === undefined ? {} : { 'if-none-match': tag } }
            const result = await measure(full, question.viewer, request)
            expect(
              result,
              `${question.method} ${question.path} for ${question.viewer} after ${JSON.stringify(drawn)}`,
            ).toEqual(await measure(empty, question.viewer, request))
            etags.set(question, rawHeader(result.answer, 'etag') ?? '"none"')
            if (result.answer.startsWith('HTTP/1.1 304')) tally.unchanged++
            else if (result.made > 0) tally.made++
            else if (result.answer.startsWith('HTTP/1.1 200')) tally.fromMemory++
          }
        }
      }),
      // On PostgreSQL every request waits for the log.
      { numRuns: runCount(15, 5), endOnFailure: true },
    )
    // The test is not trivial: responses were computed, cached and unchanged.
    for (const [name, count] of Object.entries(tally)) expect(count, name).toBeGreaterThan(50)
  }, 300_000)

  it('invalidates no response of viewers who may not see it', async () => {
    const paths = READ_PATHS.filter((path) => !path.includes('/export'))
    for (const viewer of VIEWERS) {
      for (const path of paths) await full.send(viewer, { path })
      const before = await Promise.all(paths.map((path) => full.send(viewer, { path })))
      for (const action of ['upload', 'pin', 'unpin', 'delete'])
        for (const n of RUNS) await change(full, hiddenRun(n), action, true)
      // A 404 response is not cached, so each such request reads the store, whether the data is hidden or missing.
      for (const [i, path] of paths.entries()) {
        const missing = before[i]?.startsWith('HTTP/1.1 404') === true
        const now = full.computed()
        expect(await full.send(viewer, { path }), path).toBe(before[i])
        expect(full.computed() - now, `${path} for ${viewer}`).toBe(missing ? 1 : 0)
      }
    }
  }, 120_000)

  it('has the same response and the same cache behavior as an unknown name', async () => {
    const pairs = [
      ['/runs?project=secret&suite=s', '/runs?project=nowhere&suite=s'],
      ['/runs?project=secret', '/runs?project=nowhere'],
      ['/runs?project=half&suite=darker', '/runs?project=half&suite=nowhere'],
      ['/projects/secret/suites', '/projects/nowhere/suites'],
    ] as const
    const withoutName = (answer: string) =>
      answer.replaceAll('nowhere', 'secret').replace(/^(etag|content-length): .*$/gm, '$1:')
    for (const viewer of VIEWERS) {
      for (const path of pairs.flat()) await full.send(viewer, { path })
      for (const n of RUNS) {
        await change(full, hiddenRun(n), n % 2 === 0 ? 'upload' : 'delete', true)
        for (const [hidden, unknown] of pairs) {
          const [hiddenResult, unknownResult] = [
            await measure(full, viewer, { path: hidden }),
            await measure(full, viewer, { path: unknown }),
          ]
          expect({ ...hiddenResult, answer: withoutName(hiddenResult.answer) }, `${hidden} for ${viewer}`).toEqual({
            ...unknownResult,
            answer: withoutName(unknownResult.answer),
          })
        }
      }
    }
  }, 120_000)

  it('is visible immediately to viewers with access', async () => {
    await upload(full, { id: 'h9', set: ['secret', 's'] }, true)
    const count = async (viewer: 'admin' | 'ben', path: string) =>
      (await full.spec.sendWithToken(full.tokens[viewer] ?? '')('GET', path)).json<{ runs: unknown[] }>().runs.length
    for (const viewer of ['admin', 'ben'] as const) {
      const before = await count(viewer, '/runs?project=secret&suite=s')
      const all = await count(viewer, '/runs')
      await upload(full, { id: `h9 ${viewer}`, set: ['secret', 's'] }, true)
      expect([await count(viewer, '/runs?project=secret&suite=s'), await count(viewer, '/runs')], viewer).toEqual([
        before + 1,
        all + 1,
      ])
    }
  })
})
