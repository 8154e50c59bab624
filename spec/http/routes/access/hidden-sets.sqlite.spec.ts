import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCase, aDocument, type ADocument } from '../../../support/documents/documents.ts'
import { openApp, type Caller, type SpecApp } from '../../../support/servers/app.ts'

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

// That no read shows a byte of them is a property of its own: spec/http/hidden-runs.sqlite.spec.ts.
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
  })
  afterAll(() => Promise.all([restricted.close(), without.close()]))

  const comparable = ({
    statusCode,
    body,
    headers: { 'x-request-id': _, date: __, ...headers },
  }: Awaited<ReturnType<ReturnType<SpecApp['sendAs']>>>) => ({ statusCode, body, headers })

  describe.each<{ caller: Caller; name: string }>([
    { caller: null, name: 'nobody' },
    { caller: 'read', name: 'a read token' },
    { caller: 'write', name: 'a write token' },
  ])('for $name', ({ caller }) => {
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
})

describe('restricted run sets and an account with a grant on one of them', () => {
  /** Of the restricted sets, `mixed/dark` is granted, in closed mode. */
  const granted = secret.filter(({ project }) => project === 'mixed')
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
  })
  afterAll(() => Promise.all([whole.spec.close(), without.spec.close()]))

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
