import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TOKENS, type SpecApp } from '../support/servers/app.ts'
import { PLANS, QUEUES, READ_PATHS, READS_OF_ALL, RESPONSE, RUBRICS } from '../support/access/read-paths.ts'
import { Refused } from '../../commands/refused.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import { aBody } from '../support/documents/cache-bodies.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'
import { aPlan } from '../support/documents/plans.ts'
import { openQueue } from '../support/documents/queues.ts'
import { aRubric } from '../support/documents/rubrics.ts'
import { limitedKey } from '../support/access/limited-key.ts'
import { addEvidence } from '../support/access/run-evidence.ts'
import { openSigningApp } from '../support/proof/signing-app.ts'
import { openEvents, type EventClient } from '../support/http/event-stream.ts'
import { rawAnswer, rawHeader, type RawRequest } from '../support/http/raw-http.ts'
import { isSignInStep, routesOf } from '../support/http/routes.ts'
import { runCount } from '../support/random/runs.ts'

// Two services differ only in hidden data: in one of them it is uploaded, pinned and deleted, in the other it never
// exists. Viewers without access send the same requests to both, again and again. They must get the same bytes, and a
// response cached by one service must be cached by the other.

type Peer = {
  readonly spec: SpecApp
  readonly sign: () => Promise<unknown>
  readonly tokens: Readonly<Record<string, string>>
  /** How many responses were computed, not read from the cache. */
  readonly computed: () => number
  readonly send: (viewer: Viewer, request: RawRequest) => Promise<string>
  /** Opens a stream of events. */
  readonly follow: (viewer: Viewer) => Promise<EventClient>
}

/** `lena` and `lou` are keys: of an admin, limited to a suite, and of a member with the grant of ann, limited to a project. */
const VIEWERS = ['none', 'read', 'ann', 'cat', 'lena', 'lou'] as const
type Viewer = (typeof VIEWERS)[number]

const openPeer = async (): Promise<Peer> => {
  let computed = 0
  const { spec, sign } = await openSigningApp({
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
  const [root, lin] = [await spec.addUser('root', 'admin'), await spec.addUser('lin')]
  tokens['lena'] = await limitedKey(root, { project: 'half', suite: 'light' })
  tokens['lou'] = await limitedKey(lin, { project: 'half' })
  for (const name of ['ann', 'lin']) await spec.grant(name, 'view', 'half', 'dark')
  await spec.grant('ben', 'manage', 'secret')
  for (const suite of [null, 's']) await spec.grant('ann', 'manage', 'open', suite)
  await spec.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = spec.app.server.address() as AddressInfo
  const send: Peer['send'] = (viewer, { headers, ...request }) =>
    rawAnswer(port, {
      ...request,
      path: `/api/v1${request.path}`,
      headers: { ...(tokens[viewer] === undefined ? {} : { authorization: `Bearer ${tokens[viewer]}` }), ...headers },
    })
  expect((await spec.sendAs('admin')('PUT', `/cache/${RESPONSE}`, { body: aBody() })).statusCode).toBe(201)
  const follow: Peer['follow'] = (viewer) => openEvents(`http://127.0.0.1:${port}`, { token: tokens[viewer] ?? null })
  return { spec, sign, tokens, computed: () => computed, send, follow }
}

/** Sets that viewers may see (`half/dark` only with a grant, as ann has), and sets that no viewer may see. */
const SHOWN = [
  ['open', 's'],
  ['half', 'light'],
  ['half', null],
  ['half', 'dark'],
  [null, 's'],
  ['bulk', 's'],
] as const
const HIDDEN = [
  ['secret', 's'],
  ['secret', null],
  ['half', 'darker'],
] as const
type SetName = (typeof SHOWN)[number] | (typeof HIDDEN)[number]

/** A run with more cases than one page of a search has, whose place in the store shows in no cursor. */
const BULK = { id: 'bulk', set: ['bulk', 's'] } as const
const MANY = Array.from({ length: 1_001 }, (_, repeat) =>
  aCase({ cell: { test_id: 'bulk', repeat }, output: 'common' }),
)

const RUNS = [0, 1, 2, 3, 4, 5] as const
const shownRun = (run: number) => ({ id: `v${run}`, set: SHOWN[run % 5] ?? SHOWN[0] })
const hiddenRun = (run: number) => ({ id: `h${run}`, set: HIDDEN[run % HIDDEN.length] ?? HIDDEN[0] })

/** Runs with this digest follow a plan of their suite. */
const DIGEST = 'sha256:planned'

const PATHS = Object.values(READ_PATHS).flat()
/** Routes that report on the process, and the stream, which a test of its own covers. */
const NOT_READ = [
  '/health',
  '/healthz',
  '/livez',
  '/readyz',
  '/ready',
  '/metrics',
  '/api/v1/events/stream',
  '/api/v1/auth/saml/:provider/metadata',
]

const LOUD = { filters: { tags: ['hush', 'covert'] }, origin: { actor: 'spy', note: 'clandestine' } }
const register = ({ spec }: Peer, plan_id: string, [project, suite]: readonly [string, string]): Promise<unknown> =>
  spec.service.commit.registerPlan(SYSTEM, aPlan({ plan_id, project, suite, config_digest: DIGEST }))
const writeRubric = (
  { spec }: Peer,
  rubric_id: string,
  [project, suite]: readonly [string, string],
): Promise<unknown> => spec.service.commit.createRubric(SYSTEM, aRubric({ rubric_id, project, suite }))
/** A queue of the run that was uploaded last. */
const review = (
  { spec }: Peer,
  kind: keyof typeof QUEUES,
  [project, suite]: readonly [string, string],
): Promise<void> =>
  openQueue(spec, {
    ...{ queue_id: QUEUES[kind], rubric_id: RUBRICS[kind === 'hidden' ? 'hidden' : 'shown'], project, suite },
    people: [{ name: kind === 'hidden' ? 'ben' : 'cat', role: 'reviewer' }],
  })
const MINUTE_MS = 60_000
const upload = async (
  { spec }: Peer,
  { id, set: [project, suite] }: { readonly id: string; readonly set: SetName },
  isHidden: boolean,
): Promise<void> => {
  const n = Number.parseInt(id.slice(1)) || 0
  const at = new Date(Date.UTC(2026, 4, 4, 9) + n * MINUTE_MS).toISOString()
  const word = isHidden ? 'clandestine' : 'hay'
  const cases = [
    aCase({ output: `needle ${word}`, cached: isHidden, cache_key: RESPONSE, tags: ['n:1'] }),
    aCase({
      cell: { test_id: 'farewell' },
      status: n % 2 === 0 ? 'fail' : 'pass',
      output: `${word} ${word} needle ${word}`,
      cost_usd: 0.25 * n,
      latency_ms: 20 + n,
    }),
  ]
  const document = aDocument({
    run_id: id,
    project,
    suite,
    started_at: at,
    finished_at: at,
    config_digest: DIGEST,
    ...(isHidden ? LOUD : { filters: { tags: ['hush'] } }),
    cases: id === BULK.id ? MANY : cases,
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

type HiddenRun = ReturnType<typeof hiddenRun>
let acts = 0
/** Places holds on a run and on its set. */
const hold = async ({ spec }: Peer, { id, set: [project, suite] }: HiddenRun): Promise<void> => {
  const onRun = { run_id: id, project: null, suite: null }
  // A hold on a whole project concerns visible suites too.
  const onSet = suite === null ? [] : [{ run_id: null, project, suite }]
  for (const scope of [onRun, ...onSet])
    await spec.service.commit
      .placeHold(SYSTEM, { hold_id: `hold ${++acts}`, reference: 'case-1', note: null, ...scope })
      .catch(ifRefused)
}
const liftHolds = async ({ spec }: Peer): Promise<void> => {
  for (const hold_id of await spec.column('SELECT hold_id FROM holds WHERE lifted_at IS NULL'))
    await spec.service.commit.liftHold(SYSTEM, { hold_id: String(hold_id), reference: 'case-1' })
}
/** Erases the upload of a run, which stays. Then erases the whole run. */
const erase = async ({ spec }: Peer, { id }: HiddenRun): Promise<void> => {
  const seqs = (
    await spec.column(`SELECT seq FROM event_bodies WHERE stream = 'run/${id}' ORDER BY seq DESC LIMIT 1`)
  ).map(Number)
  const targets = [...(seqs.length > 0 ? [{ seqs }] : []), { run_id: id }]
  for (const target of targets)
    await spec.service.commit
      .eraseRecords(SYSTEM, {
        erasure_id: `e${++acts}`,
        reference: 'case-1',
        target,
        dry_run: false,
        after: 0,
      })
      .catch(ifRefused)
}
const ifRefused = (error: unknown): void => {
  if (!(error instanceof Refused)) throw error
}

const run = fc.constantFrom(...RUNS)
const action = fc.constantFrom('upload', 'upload', 'upload', 'delete', 'pin', 'unpin')
const hiddenAction = fc.constantFrom('upload', 'upload', 'upload', 'delete', 'pin', 'unpin', 'hold', 'lift', 'erase')
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('hidden' as const), does: hiddenAction, run }) },
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
  path: fc.constantFrom(...PATHS),
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

/** The path of the page that follows a response, or null. */
const nextPage = (path: string, answer: string): string | null => {
  const end = answer.indexOf('\r\n\r\n')
  const body = answer.slice(end + 4)
  // JSON Lines begin like JSON, and have no pages.
  const isJson = /^content-type: application\/json/im.test(answer.slice(0, end))
  if (!answer.startsWith('HTTP/1.1 200') || !isJson || !body.startsWith('{')) return null
  const { next_cursor: cursor } = JSON.parse(body) as { next_cursor?: string | null }
  return cursor ? `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}` : null
}

/** Messages of a stream, without heartbeats, and with ids by their length alone. */
const withoutIds = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => line.replace(/^id: (.*)$/, (_, id: string) => `id of ${id.length}`))
    .join('\n')

describe('hidden data', () => {
  let withHidden: Peer
  let withoutHidden: Peer
  beforeAll(async () => {
    ;[withHidden, withoutHidden] = await Promise.all([openPeer(), openPeer()])
    await register(withHidden, PLANS.hidden, ['secret', 's'])
    await writeRubric(withHidden, RUBRICS.hidden, ['secret', 's'])
    for (const n of RUNS) await upload(withHidden, hiddenRun(n), true)
    await addEvidence(withHidden.spec.sendAs('admin'), 'h0')
    await review(withHidden, 'hidden', ['secret', 's'])
    // Some visible runs exist all the time, so that responses have content.
    for (const peer of [withHidden, withoutHidden]) {
      await register(peer, PLANS.shown, ['half', 'light'])
      await writeRubric(peer, RUBRICS.shown, ['half', 'light'])
      for (const id of ['v6', 'v7']) await upload(peer, { id, set: ['half', 'light'] }, false)
      await review(peer, 'shown', ['half', 'light'])
      await review(peer, 'closed', ['half', 'light'])
      const set = { project: 'half', suite: 'light' }
      await peer.spec.service.commit.closeReviewQueue(SYSTEM, { queue_id: QUEUES.closed, set })
      await upload(peer, BULK, false)
      await addEvidence(peer.spec.sendAs('admin'), 'v6')
      await peer.sign()
    }
  })
  afterAll(() => Promise.all([withHidden.spec.close(), withoutHidden.spec.close()]))

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
  const changeHidden = async (n: number, action: string): Promise<void> => {
    if (action === 'hold') await hold(withHidden, hiddenRun(n))
    else if (action === 'lift') await liftHolds(withHidden)
    else if (action === 'erase') await erase(withHidden, hiddenRun(n))
    else await change(withHidden, hiddenRun(n), action, true)
  }
  let isRestricted = false
  let isGranted = false
  const changeAccess = async (to: string): Promise<void> => {
    for (const { spec } of [withHidden, withoutHidden]) {
      if (to === 'restrict') await spec.restrict('open', 's')
      else if (to === 'lift' && isRestricted) await spec.lift('open', 's')
      else if (to === 'grant') await spec.grant('cat', 'upload', 'half', 'dark')
      else if (to === 'revoke' && isGranted) await spec.revoke('cat', 'half', 'dark')
    }
    if (to === 'restrict' || to === 'lift') isRestricted = to === 'restrict'
    else isGranted = to === 'grant'
  }
  const apply = async (drawn: Step): Promise<void> => {
    if (drawn.kind === 'hidden') await changeHidden(drawn.run, drawn.does)
    else if (drawn.kind === 'shown')
      for (const peer of [withHidden, withoutHidden]) await change(peer, shownRun(drawn.run), drawn.does, false)
    else await changeAccess(drawn.to)
  }

  /** Sends a request; returns the response and how many responses were computed for it. */
  const measure = async (peer: Peer, viewer: Viewer, request: RawRequest) => {
    const before = peer.computed()
    const answer = await peer.send(viewer, request)
    return { answer, made: peer.computed() - before }
  }

  type Compared = { readonly answer: string; readonly made: number }
  /** What both services answer to every read, and to the pages that follow. */
  const answersOfAll = async (viewer: Viewer) => {
    const answers: Array<{ route: string; path: string; withHidden: Compared; withoutHidden: Compared }> = []
    for (const [route, paths] of Object.entries(READ_PATHS))
      for (const first of paths) {
        let path: string | null = first
        for (let page = 0; path !== null && page < 3; page++) {
          const answer = await measure(withHidden, viewer, { path })
          answers.push({
            route,
            path,
            withHidden: answer,
            withoutHidden: await measure(withoutHidden, viewer, { path }),
          })
          path = nextPage(first, answer.answer)
        }
      }
    return answers
  }

  it('is looked for in every read of the service', () => {
    const reads = routesOf(withHidden.spec.app).filter(
      ({ method, url }) => method === 'GET' && !NOT_READ.includes(url) && !isSignInStep(url),
    )
    expect(Object.keys(READ_PATHS).sort()).toEqual(reads.map(({ url }) => url.replace('/api/v1', '')).sort())
  })

  it('changes no byte of any read, nor of the pages that follow', async () => {
    for (const { spec } of [withHidden, withoutHidden]) spec.services.cache.invalidate(null)
    const found = new Set<string>()
    for (const viewer of VIEWERS)
      for (const { withHidden: answer, withoutHidden: other, route, path } of await answersOfAll(viewer)) {
        expect(answer, `${path} for ${viewer}`).toEqual(other)
        if (answer.answer.startsWith('HTTP/1.1 200')) found.add(route)
      }
    // The test is not trivial: every read found something.
    expect(
      Object.keys(READ_PATHS)
        .filter((route) => !found.has(route))
        .sort(),
    ).toEqual(READS_OF_ALL.toSorted())
  })

  it('changes no byte of any read when the access to it changes', async () => {
    const changes = [
      () => withHidden.spec.restrict('secret', 'inner'),
      () => withHidden.spec.grant('ben', 'view', 'half', 'darker'),
      () => withHidden.spec.revoke('ben', 'half', 'darker'),
      () => withHidden.spec.lift('secret', 'inner'),
    ]
    for (const [i, change] of changes.entries()) {
      await change()
      const viewer = VIEWERS[i]
      if (viewer === undefined) continue
      // Every change of access invalidates all responses, so only their bytes are compared.
      for (const { withHidden: answer, withoutHidden: other, path } of await answersOfAll(viewer))
        expect(answer.answer, `${path} for ${viewer}`).toBe(other.answer)
    }
  })

  it('shows in no stream of events', async () => {
    const streams = await Promise.all(
      VIEWERS.map((viewer) => Promise.all([withHidden.follow(viewer), withoutHidden.follow(viewer)])),
    )
    for (const action of ['upload', 'pin', 'unpin', 'delete', 'upload'])
      for (const n of RUNS) await change(withHidden, hiddenRun(n), action, true)
    await withHidden.spec.restrict('secret', 'inner')
    await withHidden.spec.lift('secret', 'inner')
    for (const peer of [withHidden, withoutHidden]) await upload(peer, { id: 'v8', set: ['half', 'light'] }, false)
    for (const [i, pair] of streams.entries()) {
      for (const client of pair)
        expect((await client.nextChanged())?.runs, VIEWERS[i]).toEqual([{ id: 'v8', project: 'half', suite: 'light' }])
      const [inFull, inEmpty] = pair.map((client) => withoutIds(client.text()))
      expect(inFull, VIEWERS[i]).toBe(inEmpty)
      for (const client of pair) client.close()
    }
  })

  it('changes no byte of a response and no cache hit, after random changes', async () => {
    for (const { spec } of [withHidden, withoutHidden]) spec.services.cache.invalidate(null)
    const tally = { made: 0, fromMemory: 0, unchanged: 0 }
    await fc.assert(
      fc.asyncProperty(history, async ({ steps, questions }) => {
        const etags = new Map<object, string>()
        for (const drawn of [null, ...steps]) {
          if (drawn) await apply(drawn)
          for (const question of questions) {
            const tag = question.held ? etags.get(question) : undefined
            const request = { ...question, headers: tag === undefined ? {} : { 'if-none-match': tag } }
            const result = await measure(withHidden, question.viewer, request)
            expect(
              result,
              `${question.method} ${question.path} for ${question.viewer} after ${JSON.stringify(drawn)}`,
            ).toEqual(await measure(withoutHidden, question.viewer, request))
            etags.set(question, rawHeader(result.answer, 'etag') ?? '"none"')
            if (result.answer.startsWith('HTTP/1.1 304')) tally.unchanged++
            else if (result.made > 0) tally.made++
            else if (result.answer.startsWith('HTTP/1.1 200')) tally.fromMemory++
          }
        }
      }),
      // On PostgreSQL every request waits for the log.
      { numRuns: runCount(15), endOnFailure: true },
    )
    // The test is not trivial: responses were computed, cached and unchanged.
    for (const [name, count] of Object.entries(tally)) expect(count, name).toBeGreaterThan(50)
  })

  it('invalidates no response of viewers who may not see it', async () => {
    for (const viewer of VIEWERS) {
      withHidden.spec.services.cache.invalidate(null)
      // Other responses are never cached.
      const paths: string[] = []
      for (const path of PATHS) {
        if ((await measure(withHidden, viewer, { path })).made > 0) paths.push(path)
        // Both count the same lookups in the shared cache.
        await withoutHidden.send(viewer, { path })
      }
      const before = await Promise.all(paths.map((path) => withHidden.send(viewer, { path })))
      for (const action of ['upload', 'hold', 'lift', 'pin', 'erase', 'upload', 'unpin', 'delete'])
        for (const n of RUNS) await changeHidden(n, action)
      // A 404 response is not cached, so each such request reads the store, whether the data is hidden or missing.
      for (const [i, path] of paths.entries()) {
        const missing = before[i]?.startsWith('HTTP/1.1 404') === true
        const now = withHidden.computed()
        expect(await withHidden.send(viewer, { path }), path).toBe(before[i])
        expect(withHidden.computed() - now, `${path} for ${viewer}`).toBe(missing ? 1 : 0)
      }
    }
  })

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
      for (const path of pairs.flat()) await withHidden.send(viewer, { path })
      for (const n of RUNS) {
        await change(withHidden, hiddenRun(n), n % 2 === 0 ? 'upload' : 'delete', true)
        for (const [hidden, unknown] of pairs) {
          const [hiddenResult, unknownResult] = [
            await measure(withHidden, viewer, { path: hidden }),
            await measure(withHidden, viewer, { path: unknown }),
          ]
          expect({ ...hiddenResult, answer: withoutName(hiddenResult.answer) }, `${hidden} for ${viewer}`).toEqual({
            ...unknownResult,
            answer: withoutName(unknownResult.answer),
          })
        }
      }
    }
  })

  it('is visible immediately to viewers with access', async () => {
    await upload(withHidden, { id: 'h9', set: ['secret', 's'] }, true)
    const count = async (viewer: 'admin' | 'ben', path: string) =>
      (await withHidden.spec.sendWithToken(withHidden.tokens[viewer] ?? '')('GET', path)).json<{ runs: unknown[] }>()
        .runs.length
    for (const viewer of ['admin', 'ben'] as const) {
      const before = await count(viewer, '/runs?project=secret&suite=s')
      const all = await count(viewer, '/runs')
      await upload(withHidden, { id: `h9 ${viewer}`, set: ['secret', 's'] }, true)
      expect([await count(viewer, '/runs?project=secret&suite=s'), await count(viewer, '/runs')], viewer).toEqual([
        before + 1,
        all + 1,
      ])
    }
  })
})
