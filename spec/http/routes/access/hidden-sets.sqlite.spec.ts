import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCase, aDocument, type ADocument } from '../../../support/documents/documents.ts'
import { rawAnswer } from '../../../support/http/raw-http.ts'
import { openApp, TOKENS, type Caller, type SpecApp } from '../../../support/servers/app.ts'

const minuteTimes = (minute: number) => ({
  started_at: `2026-05-04T09:${String(minute).padStart(2, '0')}:00Z`,
  finished_at: `2026-05-04T09:${String(minute).padStart(2, '0')}:30Z`,
})
const visible: readonly ADocument[] = [
  aDocument({
    run_id: 'seen-1',
    project: 'open',
    suite: 'smoke',
    ...minuteTimes(1),
    filters: { tags: ['hush'] },
    origin: { actor: 'spy' },
  }),
  aDocument({
    run_id: 'seen-2',
    project: 'mixed',
    suite: 'light',
    ...minuteTimes(4),
    cases: [aCase({ cached: true })],
  }),
  aDocument({ run_id: 'seen-3', project: 'mixed', suite: null, ...minuteTimes(5) }),
  aDocument({ run_id: 'seen-4', project: null, suite: 'dark', ...minuteTimes(6), git: { branch: 'covert' } }),
  aDocument({ run_id: 'seen-5', project: null, suite: null, ...minuteTimes(7) }),
]
const conspicuous = {
  filters: { tags: ['hush', 'hidden-tag'] },
  origin: { actor: 'spy', note: 'clandestine' },
  git: { branch: 'covert' },
  config_snapshot: { secret: true },
}
const secret: readonly ADocument[] = [
  aDocument({
    run_id: 'hidden-1',
    project: 'secret',
    suite: 'smoke',
    ...minuteTimes(2),
    ...conspicuous,
    cases: [aCase({ output: 'clandestine output' }), aCase({ cell: { repeat: 1 }, status: 'fail' })],
  }),
  aDocument({
    run_id: 'hidden-2',
    project: 'secret',
    suite: 'smoke',
    ...minuteTimes(9),
    ...conspicuous,
    cases: [aCase({ cached: true, output: 'clandestine hit' })],
  }),
  aDocument({
    run_id: 'hidden-3',
    project: 'secret',
    suite: null,
    ...minuteTimes(10),
    ...conspicuous,
    cases: [aCase({ cached: true })],
  }),
  aDocument({
    run_id: 'hidden-4',
    project: 'mixed',
    suite: 'dark',
    ...minuteTimes(11),
    ...conspicuous,
    cases: [aCase({ cached: true, empty_reason: 'refusal', output: '' })],
  }),
]
const KEY = aCase().case_key

/** Read paths that show nothing of restricted sets, with each filter that could reveal one. */
const BROWSE_PATHS: readonly string[] = [
  ...[
    '',
    '?tag=hush',
    '?tag=hidden-tag',
    '?actor=spy',
    '?actor=write',
    '?branch=covert',
    '?project=secret',
    '?suite=dark',
    '?project=mixed&suite=dark',
    '?project=mixed',
    '?suite=smoke',
  ].map((query) => `/runs${query}`),
  ...[
    '?cached=exclude',
    '?cached=only',
    '?cached=exclude&project=secret',
    '?cached=exclude&tag=hush',
    '?status=fail',
    '?status=pass',
    '?origin=local',
    '?limit=1',
    '?limit=2',
    '?since=0',
    '?until=9999999999999',
  ].map((query) => `/runs${query}`),
  '/runs?limit=2&cursor=1777885750000:hidden-2',
  '/search?q=clandestine',
  '/search?q=secret',
  '/search?q=hush',
  '/search?q=hello',
  '/search?q=found&limit=1',
  '/search?q=covert&cached=exclude',
  '/projects',
  '/projects/secret/suites',
  '/projects/mixed/suites',
  '/projects/open/suites',
  '/sets',
  '/sets/mixed',
  '/sets/open',
  '/sets/mixed/suites/light',
  `/projects/mixed/suites/light/cases/${KEY}/history`,
  ...visible.flatMap(({ run_id }) =>
    ['', '/cases', '/matrix', '/config', '/export', `/cases/${KEY}`, `/compare/${run_id}`].map(
      (path) => `/runs/${run_id}${path}`,
    ),
  ),
]

/** Paths that name something restricted, and the same paths with names that never existed. */
const NAMED_PATHS: ReadonlyArray<readonly [hidden: string, unknown: string]> = [
  ...secret.flatMap(({ run_id }) =>
    [
      '',
      '/cases',
      '/cases?q=x',
      '/matrix',
      '/config',
      '/export',
      `/cases/${KEY}`,
      '/compare/seen-1',
      '/compare/none-such',
    ].map((path): [string, string] => [`/runs/${run_id}${path}`, `/runs/never-was${path}`]),
  ),
  ...secret.map(({ run_id }): [string, string] => [`/runs/seen-1/compare/${run_id}`, '/runs/seen-1/compare/never-was']),
  ['/runs/hidden-1/compare/hidden-2', '/runs/never-was/compare/never-was-2'],
  ['/sets/secret', '/sets/never-was'],
  ['/sets/secret/suites/smoke', '/sets/never-was/suites/smoke'],
  ['/sets/mixed/suites/dark', '/sets/mixed/suites/never-was'],
  [`/projects/secret/suites/smoke/cases/${KEY}/history`, `/projects/never-was/suites/smoke/cases/${KEY}/history`],
  [`/projects/mixed/suites/dark/cases/${KEY}/history`, `/projects/mixed/suites/never-was/cases/${KEY}/history`],
]

const METHODS = ['GET', 'HEAD'] as const

/** Returns the whole response as sent over a socket, headers included. */
const rawResponse = ({ app }: SpecApp, token: string | null, path: string, method: 'GET' | 'HEAD') =>
  rawAnswer((app.server.address() as AddressInfo).port, {
    method,
    path: `/api/v1${path}`,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  })

describe('restricted run sets', () => {
  let restricted: SpecApp
  let without: SpecApp
  const open = async (documents: readonly ADocument[]): Promise<SpecApp> => {
    const spec = await openApp({ mode: 'open', now: () => Date.UTC(2026, 4, 5) })
    for (const document of documents) expect((await spec.ingest(document)).statusCode).toBe(201)
    return spec
  }
  beforeAll(async () => {
    restricted = await open([...visible, ...secret].sort((a, b) => a.finished_at.localeCompare(b.finished_at)))
    await restricted.sendAs('admin')('PUT', '/projects/secret/suites/smoke/baseline', {
      headers: { 'content-type': 'application/json' },
      body: { run_id: 'hidden-1' },
    })
    await restricted.sendAs('admin')('PUT', '/projects/mixed/suites/dark/baseline', {
      headers: { 'content-type': 'application/json' },
      body: { run_id: 'hidden-4' },
    })
    await restricted.restrict('secret')
    await restricted.restrict('mixed', 'dark')
    without = await open(visible)
    // A restriction itself is no secret, but what it hides is.
    await without.restrict('secret')
    await without.restrict('mixed', 'dark')
    for (const { app } of [restricted, without]) await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => Promise.all([restricted.close(), without.close()]))

  const comparable = ({
    statusCode,
    body,
    headers: { 'x-request-id': _, date: __, ...headers },
  }: Awaited<ReturnType<ReturnType<SpecApp['sendAs']>>>) => ({ statusCode, body, headers })
  const raw = (spec: SpecApp, caller: Caller, path: string, method: 'GET' | 'HEAD') =>
    rawResponse(spec, caller && TOKENS[caller], path, method)

  describe.each<{ caller: Caller; name: string }>([
    { caller: null, name: 'nobody' },
    { caller: 'read', name: 'a read token' },
    { caller: 'write', name: 'a write token' },
  ])('for $name', ({ caller }) => {
    it('look as if their runs had never been uploaded, on every read path', async () => {
      for (const path of BROWSE_PATHS)
        for (const method of METHODS) {
          const answer = await raw(restricted, caller, path, method)
          expect(answer, path).toBe(await raw(without, caller, path, method))
          expect(answer, path).toMatch(/^HTTP\/1\.1 200 /)
        }
    })

    it('look like unknown names when a path names them', async () => {
      for (const [hidden, unknown] of NAMED_PATHS)
        for (const method of METHODS) {
          const answer = await raw(restricted, caller, hidden, method)
          expect(answer, hidden).toBe(await raw(restricted, caller, unknown, method))
          expect(answer, hidden).toMatch(/^HTTP\/1\.1 404 /)
          expect(answer).not.toMatch(/hidden|secret|dark/)
        }
    })

    it('return 404 even for the ETag of a hidden document', async () => {
      const etag = (await restricted.sendAs('admin')('GET', '/runs/hidden-1/export')).headers.etag ?? ''
      expect(
        (
          await restricted.sendAs(caller)('GET', '/runs/hidden-1/export', {
            headers: { 'if-none-match': String(etag) },
          })
        ).statusCode,
      ).toBe(404)
      expect(
        (await restricted.sendAs(caller)('GET', '/runs/hidden-1', { headers: { 'if-none-match': '*' } })).statusCode,
      ).toBe(404)
    })

    it('accept no upload, new or duplicate, and name the missing level', async () => {
      const [first] = secret
      const duplicate = first ?? aDocument()
      for (const document of [
        aDocument({ run_id: 'new', project: 'secret', suite: 'later' }),
        aDocument({ run_id: 'new', project: 'secret', suite: null }),
        aDocument({ run_id: 'new', project: 'mixed', suite: 'dark' }),
        duplicate,
        { ...duplicate, extra: 1 },
      ]) {
        const answer = await restricted.ingest(document, { caller })
        expect(answer.statusCode).toBe(403)
        expect(answer.json()).toEqual({ error: 'this run set is restricted; you need an upload grant on it' })
      }
    })

    it('are checked after the document', async () => {
      expect(
        (await restricted.ingest(aDocument({ project: 'secret', schema_version: 4 }), { caller })).statusCode,
      ).toBe(422)
      expect((await restricted.ingest('{', { caller })).statusCode).toBe(400)
    })

    it('still reserve their run ids: a conflict reports only the id', async () => {
      const answer = await restricted.ingest(aDocument({ run_id: 'hidden-1', project: 'open' }), { caller })
      expect(answer.statusCode).toBe(409)
      expect(answer.json()).toMatchObject({ id: 'hidden-1' })
      expect(answer.body).not.toContain('secret')
    })

    it('keep their baselines unchanged', async () => {
      const json = { 'content-type': 'application/json' }
      for (const suite of [
        '/projects/secret/suites/smoke/baseline',
        '/projects/secret/suites/other/baseline',
        '/projects/mixed/suites/dark/baseline',
      ]) {
        for (const answer of [
          await restricted.sendAs(caller)('PUT', suite, { headers: json, body: { run_id: 'hidden-1' } }),
          await restricted.sendAs(caller)('DELETE', suite),
        ]) {
          expect(answer.statusCode, suite).toBe(403)
          expect(answer.json<{ error: string }>().error).toContain('you need an upload grant')
        }
      }
      // The body is checked before the access.
      expect(
        (
          await restricted.sendAs(caller)('PUT', '/projects/secret/suites/smoke/baseline', {
            headers: json,
            body: { run_id: 1 },
          })
        ).statusCode,
      ).toBe(422)
      expect(
        (await restricted.sendAs(caller)('PUT', '/projects/secret/suites/smoke/baseline', { headers: json, body: '{' }))
          .statusCode,
      ).toBe(400)
    })

    it('provide no run as the baseline of another suite', async () => {
      const pin = (run_id: string) =>
        restricted.sendAs(caller)('PUT', '/projects/open/suites/smoke/baseline', {
          headers: { 'content-type': 'application/json' },
          body: { run_id },
        })
      const [hidden, unknown] = [await pin('hidden-1'), await pin('never-was')]
      expect(hidden.statusCode).toBe(404)
      expect(comparable(hidden)).toEqual(comparable(unknown))
    })

    it('keep their runs: deleting one is like deleting an unknown run', async () => {
      const [hidden, unknown] = [
        await restricted.sendAs(caller)('DELETE', '/runs/hidden-1'),
        await restricted.sendAs(caller)('DELETE', '/runs/never-was'),
      ]
      expect(hidden.statusCode).toBe(404)
      expect(comparable(hidden)).toEqual(comparable(unknown))
    })
  })

  it('are shown to an admin token on every read path', async () => {
    const get = restricted.sendAs('admin')
    const ids = (await get('GET', '/runs')).json<{ runs: Array<{ id: string }> }>().runs.map(({ id }) => id)
    expect(ids).toEqual([
      'hidden-4',
      'hidden-3',
      'hidden-2',
      'seen-5',
      'seen-4',
      'seen-3',
      'seen-2',
      'hidden-1',
      'seen-1',
    ])
    expect((await get('GET', '/runs?cached=exclude')).json()).toMatchObject({ cached_hidden: 4 })
    expect((await without.sendAs('admin')('GET', '/runs?cached=exclude')).json()).toMatchObject({ cached_hidden: 1 })
    for (const [hidden] of NAMED_PATHS.filter(([path]) => !path.endsWith('none-such')))
      expect((await get('GET', hidden)).statusCode, hidden).toBe(200)
    const found = (await get('GET', '/search?q=clandestine')).json<{ runs: unknown[]; cases: unknown[] }>()
    expect([found.runs.length, found.cases.length]).toEqual([4, 2])
    expect((await get('GET', '/sets')).json()).toMatchObject({
      projects: [
        { project: 'mixed', restricted: false, my_level: null, suite_count: 2 },
        { project: 'open', restricted: false },
        { project: 'secret', restricted: true, my_level: null, run_count: 3 },
      ],
    })
    expect((await get('GET', '/sets/mixed')).json()).toMatchObject({
      restricted: false,
      suites: [
        { suite: 'dark', restricted: true, baseline_run_id: 'hidden-4' },
        { suite: 'light', restricted: false },
      ],
    })
    expect((await get('GET', '/sets/secret/suites/smoke')).json()).toMatchObject({
      restricted: true,
      baseline_run_id: 'hidden-1',
    })
    expect((await get('GET', '/projects/secret/suites')).json()).toMatchObject({
      suites: [{ suite: 'smoke', baseline_run_id: 'hidden-1' }],
    })
  })

  it('accept uploads, baselines and deletions from an admin token', async () => {
    const admin = restricted.sendAs('admin')
    const json = { 'content-type': 'application/json' }
    expect(
      (
        await restricted.ingest(
          aDocument({ run_id: 'hidden-5', project: 'secret', suite: 'smoke', ...minuteTimes(30) }),
          {
            caller: 'admin',
          },
        )
      ).statusCode,
    ).toBe(201)
    expect(
      (await admin('PUT', '/projects/secret/suites/smoke/baseline', { headers: json, body: { run_id: 'hidden-5' } }))
        .statusCode,
    ).toBe(200)
    expect((await admin('DELETE', '/runs/hidden-5')).statusCode).toBe(204)
    expect((await admin('GET', '/sets/secret/suites/smoke')).json()).toMatchObject({ baseline_run_id: null })
  })

  it('are visible again with all runs when the restriction is lifted', async () => {
    await restricted.lift('secret')
    await restricted.lift('mixed', 'dark')
    expect((await restricted.sendAs(null)('GET', '/runs')).json<{ runs: unknown[] }>().runs).toHaveLength(9)
    expect(
      (await restricted.sendAs(null)('GET', '/search?q=clandestine')).json<{ runs: unknown[] }>().runs,
    ).toHaveLength(4)
    expect((await restricted.sendAs(null)('GET', '/sets/mixed/suites/dark')).json()).toMatchObject({
      restricted: false,
      baseline_run_id: 'hidden-4',
    })
  })
})

describe('restricted run sets and an account with a grant on one of them', () => {
  /** Of the restricted sets, `mixed/dark` is granted, in closed mode. */
  const granted = secret.filter(({ project }) => project === 'mixed')
  const hidden = secret.filter(({ project }) => project === 'secret')
  const open = async (documents: readonly ADocument[]) => {
    const spec = await openApp({ now: () => Date.UTC(2026, 4, 5) })
    await spec.restrict('secret')
    await spec.restrict('mixed', 'dark')
    const accounts = [await spec.addUser('one-granted'), await spec.addUser('one-looking', 'viewer')]
    for (const { user_id } of accounts) await spec.grant(user_id, 'view', 'mixed', 'dark')
    for (const document of [...documents].sort((a, b) => a.finished_at.localeCompare(b.finished_at)))
      expect((await spec.ingest(document, { caller: 'admin' })).statusCode).toBe(201)
    await spec.sendAs('admin')('PUT', '/projects/mixed/suites/dark/baseline', {
      headers: { 'content-type': 'application/json' },
      body: { run_id: 'hidden-4' },
    })
    return { spec, accounts }
  }
  let whole: Awaited<ReturnType<typeof open>>
  let without: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    whole = await open([...visible, ...secret])
    await whole.spec.sendAs('admin')('PUT', '/projects/secret/suites/smoke/baseline', {
      headers: { 'content-type': 'application/json' },
      body: { run_id: 'hidden-1' },
    })
    without = await open([...visible, ...granted])
    for (const { spec } of [whole, without]) await spec.app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => Promise.all([whole.spec.close(), without.spec.close()]))

  type Account = (typeof whole.accounts)[number]
  const raw = ({ spec }: typeof whole, { token }: Account, path: string) => rawResponse(spec, token, path, 'GET')
  const GRANTED_PATHS = [
    ...[
      '',
      '/cases',
      '/cases?q=dark',
      '/matrix',
      '/config',
      '/export',
      `/cases/${KEY}`,
      '/compare/seen-1',
      '/compare/hidden-1',
    ].map((path) => `/runs/hidden-4${path}`),
    ...[
      '/runs/seen-1/compare/hidden-4',
      '/sets/mixed/suites/dark',
      `/projects/mixed/suites/dark/cases/${KEY}/history`,
      '/search?q=clandestine&cached=only',
      '/search?q=dark',
      '/runs?limit=1&cached=only',
    ],
  ]

  it('show the account its granted set, and the others look as if they had never existed', async () => {
    for (const [i, account] of whole.accounts.entries()) {
      const other = without.accounts[i] ?? account
      // The second time from the cache.
      for (const path of [...BROWSE_PATHS, ...GRANTED_PATHS, ...BROWSE_PATHS, ...GRANTED_PATHS])
        expect(await raw(whole, account, path), path).toBe(await raw(without, other, path))
      for (const [path, unknown] of NAMED_PATHS.filter(
        ([named]) => !named.includes('hidden-4') && !named.includes('/dark'),
      )) {
        const answer = await raw(whole, account, path)
        expect(answer, path).toBe(await raw(whole, account, unknown))
        expect(answer, path).toMatch(/^HTTP\/1\.1 404 /)
      }
    }
  })

  it('count and sum up only what is shown', async () => {
    const send = whole.accounts[0]?.send ?? whole.spec.sendAs(null)
    const seen = [...visible, ...granted]
    expect((await send('GET', '/runs')).json<{ runs: unknown[] }>().runs).toHaveLength(seen.length)
    expect((await send('GET', '/runs?cached=exclude')).json()).toMatchObject({ cached_hidden: 2 })
    const mixed = seen.filter(({ project }) => project === 'mixed')
    expect((await send('GET', '/sets')).json()).toMatchObject({
      projects: [
        {
          project: 'mixed',
          run_count: mixed.length,
          suite_count: 2,
          case_count: mixed.reduce((sum, { cases }) => sum + cases.length, 0),
          restricted: false,
          my_level: null,
        },
        { project: 'open', run_count: 1, restricted: false, my_level: null },
      ],
    })
    expect((await send('GET', '/sets/mixed')).json()).toMatchObject({
      my_level: null,
      suites: [
        { suite: 'dark', my_level: 'view', restricted: true, baseline_run_id: 'hidden-4' },
        { suite: 'light', my_level: null, restricted: false },
      ],
    })
    const found = (await send('GET', '/search?q=clandestine')).json<{ runs: Array<{ id: string }> }>()
    expect(found.runs.map(({ id }) => id)).toEqual(['hidden-4'])
  })

  it('are hidden from every other account and token', async () => {
    const stranger = await whole.spec.addUser('stranger')
    for (const send of [stranger.send, whole.spec.sendAs('read'), whole.spec.sendAs('write')]) {
      const ids = (await send('GET', '/runs')).json<{ runs: Array<{ id: string }> }>().runs.map(({ id }) => id)
      expect(ids).toHaveLength(visible.length)
      for (const { run_id } of [...hidden, ...granted])
        expect((await send('GET', `/runs/${run_id}`)).statusCode).toBe(404)
    }
  })
})

describe('a document that is already stored', () => {
  it('is a duplicate where its set is open, and rejected where it is restricted', async () => {
    const spec = await openApp({ mode: 'open' })
    const document = aDocument()
    expect((await spec.ingest(document)).statusCode).toBe(201)
    expect((await spec.ingest(document, { caller: null })).statusCode).toBe(200)
    await spec.restrict('chat', 'smoke')
    expect((await spec.ingest(document, { caller: null })).statusCode).toBe(403)
    expect((await spec.ingest(document, { caller: 'admin' })).statusCode).toBe(200)
    await spec.close()
  })
})
