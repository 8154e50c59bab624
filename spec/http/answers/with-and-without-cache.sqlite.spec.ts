import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../../../http/app.ts'
import { findRestricted } from '../../../queries/access/access.ts'
import { LEVELS } from '../../../queries/access/levels.ts'
import { signIn, type SessionTokens } from '../../support/access/session-tokens.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { runCount } from '../../support/random/runs.ts'
import { openApp, TOKENS, type SpecApp } from '../../support/servers/app.ts'

const KEY = aCase().case_key
const JSON_TYPE = { 'content-type': 'application/json' }
/** A time that stands still, so that no response is out of date before it is asked for again. */
const NOW = Date.UTC(2026, 4, 5)

describe('responses with and without the cache', () => {
  let withCache: SpecApp
  let uncached: SpecApp['app']
  let tokens: typeof TOKENS & SessionTokens
  beforeAll(async () => {
    withCache = await openApp({ mode: 'open', now: () => NOW })
    tokens = { ...TOKENS, ...(await signIn(withCache)) }
    const { cache } = withCache.services
    uncached = await buildApp({
      ...withCache.services,
      cache: { ...cache, find: () => undefined, answer: (_key, _asker, _tags, signal, fill) => fill(signal) },
    })
    // Over sockets, because cached responses are sent before the app handles the request.
    for (const app of [withCache.app, uncached]) await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(async () => {
    await uncached.close()
    await withCache.close()
  })

  const SETS = [
    ['p', 's'],
    ['p', 't'],
    ['q', 's'],
    ['p', null],
    [null, 's'],
  ] as const
  const RUNS = Array.from({ length: 8 }, (_, i) => `r${i}`)
  const READ_PATHS = [
    ...[
      '',
      '?project=p',
      '?project=p&suite=s',
      '?suite=s',
      '?project=q&suite=s',
      '?cached=exclude',
      '?actor=write',
      '?limit=2',
      '?status=fail',
    ].map((query) => `/runs${query}`),
    ...RUNS.slice(0, 5).flatMap((id) =>
      [
        '',
        '/cases',
        '/matrix',
        '/config',
        `/cases/${KEY}`,
        '/statistics',
        `/compare/${RUNS[1]}`,
        `/compare/${RUNS[1]}/statistics`,
      ].map((path) => `/runs/${id}${path}`),
    ),
    ...[
      '/search?q=needle',
      '/projects',
      '/projects/p/suites',
      '/projects/q/suites',
      '/sets',
      '/sets/p',
      '/sets/q',
      '/sets/p/suites/s',
      '/sets/p/suites/t',
      '/sets/q/suites/s',
      '/projects/p/suites/s/trend',
      `/compare?runs=${RUNS.slice(0, 2).join(',')}`,
      `/compare/outputs?runs=${RUNS.slice(0, 2).join(',')}&test=greeting`,
    ],
    ...[
      ['p', 's'],
      ['p', 't'],
      ['q', 's'],
    ].flatMap(([project, suite]) =>
      [`cases/${KEY}/history`, `cases/${KEY}/timeline`, 'grid', 'flakiness'].map(
        (path) => `/projects/${project}/suites/${suite}/${path}`,
      ),
    ),
  ]
  const VIEWERS = [null, 'ann', 'ben', 'cat', 'root', 'read', 'admin'] as const

  /** Each run id has a fixed set, so that most pins match a run and a deletion sometimes empties a set. */
  const setOf = (run: number) => SETS[run % SETS.length] ?? SETS[0]
  const runIndex = fc.nat(RUNS.length - 1)
  const PROJECTS = ['p', 'q'] as const
  const SUITES = ['s', 't', null] as const
  const project = fc.constantFrom(...PROJECTS)
  const suite = fc.constantFrom(...SUITES)
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('ingest' as const), run: runIndex, failing: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), run: runIndex }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pin' as const), run: runIndex }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('unpin' as const), run: runIndex }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('restrict' as const), project, suite }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('lift' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('grant' as const),
        who: fc.constantFrom('ann', 'ben'),
        level: fc.constantFrom(...LEVELS),
        project,
        suite,
      }),
    },
  )
  // Each random history reads only a few paths, so that a response cached in one step is requested in the next.
  const history = fc.record({
    steps: fc.array(step, { minLength: 10, maxLength: 30 }),
    paths: fc.uniqueArray(fc.constantFrom(...READ_PATHS), { minLength: 6, maxLength: 6 }),
    viewers: fc.uniqueArray(fc.constantFrom(...VIEWERS), { minLength: 2, maxLength: 2 }),
  })

  const baselineOf = ([projectName, suiteName]: (typeof SETS)[number]) =>
    `/projects/${projectName ?? 'none'}/suites/${suiteName ?? 'none'}/baseline`
  const run = async (change: typeof step extends fc.Arbitrary<infer S> ? S : never): Promise<void> => {
    const admin = withCache.sendAs('admin')
    switch (change.kind) {
      case 'ingest': {
        const [projectName, suiteName] = setOf(change.run)
        await withCache.ingest(
          aDocument({
            run_id: RUNS[change.run] ?? '',
            project: projectName,
            suite: suiteName,
            cases: [aCase({ output: 'needle', status: change.failing ? 'fail' : 'pass' })],
          }),
          { caller: 'admin' },
        )
        break
      }
      case 'delete':
        await admin('DELETE', `/runs/${RUNS[change.run]}`)
        break
      case 'pin':
        await admin('PUT', baselineOf(setOf(change.run)), { headers: JSON_TYPE, body: { run_id: RUNS[change.run] } })
        break
      case 'unpin':
        await admin('DELETE', baselineOf(setOf(change.run)))
        break
      case 'restrict':
        await withCache.restrict(change.project, change.suite)
        break
      case 'lift':
        await liftAll()
        break
      case 'grant':
        await withCache.grant(change.who, change.level, change.project, change.suite)
    }
  }
  const liftAll = async (): Promise<void> => {
    for (const project of PROJECTS)
      for (const suite of SUITES)
        if (await withCache.service.reader.read(findRestricted({ project, suite })))
          await withCache.lift(project, suite)
  }

  it('are the same for every viewer after random changes', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ steps, paths, viewers }) => {
        for (const step of steps) {
          await run(step)
          for (const path of paths)
            for (const viewer of viewers) {
              const headers = { 'x-request-id': 'same', ...(viewer === null ? {} : { authorization: tokens[viewer] }) }
              const fetchFrom = async (app: SpecApp['app']) => {
                const answer = await fetch(
                  `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/v1${path}`,
                  { headers },
                )
                return {
                  status: answer.status,
                  body: await answer.text(),
                  headers: { ...Object.fromEntries(answer.headers), date: '' },
                }
              }
              expect(await fetchFrom(withCache.app), `${path} for ${viewer}`).toEqual(await fetchFrom(uncached))
            }
        }
        await liftAll()
      }),
      // On PostgreSQL every request waits for the log, and every step sends many requests.
      { numRuns: runCount(12) },
    )
  })
})
