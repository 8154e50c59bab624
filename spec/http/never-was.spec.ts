import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApp, TOKENS } from '../support/servers/app.ts'
import type { SpecApp } from '../support/servers/app.ts'
import { cacheKeyOf } from '../support/documents/cache-bodies.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'
import { rawAnswer, rawHeader } from '../support/http/raw-http.ts'
import type { RawRequest } from '../support/http/raw-http.ts'
import { runs } from '../support/random/runs.ts'

// Two services that differ in what is hidden alone: on one it is uploaded, pinned and deleted, on the other it never
// was. Viewers who may not see it ask both the same questions again and again. They get the same bytes, and what one
// service answers from memory, the other does too.

const KEY = aCase().case_key
const RESPONSE = cacheKeyOf('response')

type Peer = {
  readonly spec: SpecApp
  readonly tokens: Readonly<Record<string, string>>
  /** How many answers were made rather than found in memory. */
  readonly made: () => number
  readonly ask: (who: Viewer, request: RawRequest) => Promise<string>
}

const VIEWERS = ['nobody', 'read', 'ann', 'cat'] as const
type Viewer = (typeof VIEWERS)[number]

const openPeer = async (): Promise<Peer> => {
  let made = 0
  const spec = await openApp({
    mode: 'open',
    now: () => Date.UTC(2026, 4, 5),
    parts: ({ cache }) => ({
      cache: {
        ...cache,
        answer: (key, asker, tags, gone, fill) =>
          cache.answer(key, asker, tags, gone, (signal) => (made++, fill(signal))),
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
  const ask: Peer['ask'] = (who, { headers, ...request }) =>
    rawAnswer(port, {
      ...request,
      path: `/api/v1${request.path}`,
      headers: { ...(tokens[who] === undefined ? {} : { authorization: `Bearer ${tokens[who]}` }), ...headers },
    })
  return { spec, tokens, made: () => made, ask }
}

/** Sets that everyone sees, and one that only ann does; and those that none of the viewers may see. */
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

const READ = [
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
    '/compare/v6',
    '/compare/h0',
  ].flatMap((path) => [`/runs/v1${path}`, `/runs/v0${path}`]),
  ...['', '/in-suite', '/cases', '/matrix', '/export', '/compare/v1'].map((path) => `/runs/h0${path}`),
  `/projects/half/suites/light/cases/${KEY}/history`,
  `/projects/half/suites/darker/cases/${KEY}/history`,
]

const LOUD = { filters: { tags: ['hush', 'covert'] }, origin: { actor: 'spy', note: 'clandestine' } }
const upload = async (
  { spec }: Peer,
  { id, set: [project, suite] }: { readonly id: string; readonly set: SetName },
  loud: boolean,
): Promise<void> => {
  const document = aDocument({
    run_id: id,
    project,
    suite,
    ...(loud ? LOUD : { filters: { tags: ['hush'] } }),
    cases: [aCase({ output: loud ? 'clandestine needle' : 'needle', cached: loud, cache_key: RESPONSE })],
  })
  expect([200, 201]).toContain((await spec.ingest(document, { caller: 'admin' })).statusCode)
}
const pin = (
  { spec }: Peer,
  { id, set: [project, suite] }: { readonly id: string; readonly set: SetName },
  does: 'PUT' | 'DELETE',
) =>
  spec.as('admin')(
    does,
    `/projects/${project ?? 'none'}/suites/${suite ?? 'none'}/baseline`,
    does === 'PUT' ? { headers: { 'content-type': 'application/json' }, body: { run_id: id } } : {},
  )

const run = fc.constantFrom(...RUNS)
const does = fc.constantFrom('upload', 'upload', 'upload', 'delete', 'pin', 'unpin')
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('hidden' as const), does, run }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('shown' as const), does, run }) },
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
  path: fc.constantFrom(...READ),
  who: fc.constantFrom(...VIEWERS),
  method: fc.constantFrom('GET', 'GET', 'HEAD'),
  connection: fc.constantFrom('close' as const, 'keep-alive' as const),
  /** Asks only for what is new since its last answer. */
  held: fc.boolean(),
})
const history = fc.record({
  steps: fc.array(step, { minLength: 8, maxLength: 20 }),
  questions: fc.array(question, { minLength: 6, maxLength: 6 }),
})

describe('what is hidden', () => {
  let whole: Peer
  let without: Peer
  beforeAll(async () => {
    ;[whole, without] = await Promise.all([openPeer(), openPeer()])
    // Some of what is seen is there throughout, so that answers have something to show.
    for (const peer of [whole, without])
      for (const id of ['v6', 'v7']) await upload(peer, { id, set: ['half', 'light'] }, false)
  })
  afterAll(() => Promise.all([whole.spec.close(), without.spec.close()]))

  const change = async (
    peer: Peer,
    of: { readonly id: string; readonly set: SetName },
    what: string,
    loud: boolean,
  ): Promise<void> => {
    if (what === 'upload') await upload(peer, of, loud)
    else if (what === 'delete') await peer.spec.as('admin')('DELETE', `/runs/${of.id}`)
    else await pin(peer, of, what === 'pin' ? 'PUT' : 'DELETE')
  }
  let isRestricted = false
  let isGranted = false
  const changeAccess = async (to: string): Promise<void> => {
    for (const { spec } of [whole, without]) {
      if (to === 'restrict') await spec.restrict('open', 's')
      else if (to === 'lift' && isRestricted) await spec.lift('open', 's')
      else if (to === 'grant') await spec.grant('cat', 'upload', 'half', 'dark')
      else if (to === 'revoke' && isGranted) await spec.revoke('cat', 'half', 'dark')
    }
    if (to === 'restrict' || to === 'lift') isRestricted = to === 'restrict'
    else isGranted = to === 'grant'
  }
  const take = async (one: Step): Promise<void> => {
    if (one.kind === 'hidden') await change(whole, hiddenRun(one.run), one.does, true)
    else if (one.kind === 'shown')
      for (const peer of [whole, without]) await change(peer, shownRun(one.run), one.does, false)
    else await changeAccess(one.to)
  }

  /** An answer, and whether it was made for this. */
  const answerOf = async (peer: Peer, who: Viewer, request: RawRequest) => {
    const before = peer.made()
    const answer = await peer.ask(who, request)
    return { answer, made: peer.made() - before }
  }

  it('is as if it had never been, in every byte of an answer and in whether it comes from memory, whatever happens', async () => {
    const tally = { made: 0, fromMemory: 0, unchanged: 0 }
    await fc.assert(
      fc.asyncProperty(history, async ({ steps, questions }) => {
        const held = new Map<object, string>()
        for (const one of [null, ...steps]) {
          if (one) await take(one)
          for (const asked of questions) {
            const tag = asked.held ? held.get(asked) : undefined
            const request = { ...asked, headers: tag === undefined ? {} : { 'if-none-match': tag } }
            const found = await answerOf(whole, asked.who, request)
            expect(found, `${asked.method} ${asked.path} for ${asked.who} after ${JSON.stringify(one)}`).toEqual(
              await answerOf(without, asked.who, request),
            )
            held.set(asked, rawHeader(found.answer, 'etag') ?? '"none"')
            if (found.answer.startsWith('HTTP/1.1 304')) tally.unchanged++
            else if (found.made > 0) tally.made++
            else if (found.answer.startsWith('HTTP/1.1 200')) tally.fromMemory++
          }
        }
      }),
      // Every request waits for the log there.
      { numRuns: runs(15, 5), endOnFailure: true },
    )
    // The histories say something: answers were made, found in memory, and unchanged.
    for (const [name, count] of Object.entries(tally)) expect(count, name).toBeGreaterThan(50)
  }, 300_000)

  it('moves no answer to those who may not see it: what was in memory stays there', async () => {
    const paths = READ.filter((path) => !path.includes('/export'))
    for (const who of VIEWERS) {
      for (const path of paths) await whole.ask(who, { path })
      const before = await Promise.all(paths.map((path) => whole.ask(who, { path })))
      for (const what of ['upload', 'pin', 'unpin', 'delete'])
        for (const n of RUNS) await change(whole, hiddenRun(n), what, true)
      // A path that is not there is asked of the store each time, hidden or not.
      for (const [i, path] of paths.entries()) {
        const missing = before[i]?.startsWith('HTTP/1.1 404') === true
        const now = whole.made()
        expect(await whole.ask(who, { path }), path).toBe(before[i])
        expect(whole.made() - now, `${path} for ${who}`).toBe(missing ? 1 : 0)
      }
    }
  }, 120_000)

  it('is answered, and held in memory, as a name that never was', async () => {
    const pairs = [
      ['/runs?project=secret&suite=s', '/runs?project=nowhere&suite=s'],
      ['/runs?project=secret', '/runs?project=nowhere'],
      ['/runs?project=half&suite=darker', '/runs?project=half&suite=nowhere'],
      ['/projects/secret/suites', '/projects/nowhere/suites'],
    ] as const
    const bare = (answer: string) =>
      answer.replaceAll('nowhere', 'secret').replace(/^(etag|content-length): .*$/gm, '$1:')
    for (const who of VIEWERS) {
      for (const path of pairs.flat()) await whole.ask(who, { path })
      for (const n of RUNS) {
        await change(whole, hiddenRun(n), n % 2 === 0 ? 'upload' : 'delete', true)
        for (const [hidden, unknown] of pairs) {
          const [one, other] = [
            await answerOf(whole, who, { path: hidden }),
            await answerOf(whole, who, { path: unknown }),
          ]
          expect({ ...one, answer: bare(one.answer) }, `${hidden} for ${who}`).toEqual({
            ...other,
            answer: bare(other.answer),
          })
        }
      }
    }
  }, 120_000)

  it('is shown at once to those who may see it', async () => {
    await upload(whole, { id: 'h9', set: ['secret', 's'] }, true)
    const count = async (who: 'admin' | 'ben', path: string) =>
      (await whole.spec.holding(whole.tokens[who] ?? '')('GET', path)).json<{ runs: unknown[] }>().runs.length
    for (const who of ['admin', 'ben'] as const) {
      const before = await count(who, '/runs?project=secret&suite=s')
      const all = await count(who, '/runs')
      await upload(whole, { id: `h9 ${who}`, set: ['secret', 's'] }, true)
      expect([await count(who, '/runs?project=secret&suite=s'), await count(who, '/runs')], who).toEqual([
        before + 1,
        all + 1,
      ])
    }
  })
})
