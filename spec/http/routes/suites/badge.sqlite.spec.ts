import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UNKNOWN_BADGE } from '../../../../domain/badge.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { openApp, type SpecApp } from '../../../support/servers/app.ts'

let spec: SpecApp
beforeAll(async () => {
  spec = await openApp()
  const at = (minute: number) => new Date(Date.UTC(2026, 4, 5, 0, minute)).toISOString()
  const cases = [
    aCase({ status: 'pass', score: 1 }),
    aCase({ cell: { repeat: 1 }, status: 'fail', score: 0.25 }),
    aCase({ cell: { repeat: 2 }, status: 'skip', score: 0 }),
  ]
  const summary = { total: 3, passed: 1, failed: 1 }
  await spec.ingest(aDocument({ run_id: 'old', finished_at: at(0), git: { branch: 'topic' }, cases: [aCase()] }))
  await spec.ingest(aDocument({ run_id: 'new', finished_at: at(1), git: { branch: 'main' }, cases, summary }))
  await spec.ingest(aDocument({ run_id: 'hidden', project: 'secret', suite: 'vault' }))
  await spec.restrict('secret')
})
afterAll(() => spec.close())

const PATH = '/projects/chat/suites/smoke/badge.svg'
const titleOf = (body: string): string => /<title>(.*)<\/title>/.exec(body)?.[1] ?? ''
const title = async (query: string): Promise<string> => titleOf((await spec.sendAs('read')('GET', PATH + query)).body)

describe('the badge of a suite', () => {
  it('shows the newest run, of one branch if asked', async () => {
    expect(await title('')).toBe('smoke: 33.3% (1 of 3 passed, 95% interval 2.5% to 90.6%)')
    expect(await title('?metric=status&label=main%20suite&branch=main')).toBe(
      'main suite: failing (1 failed, 0 errors)',
    )
    expect(await title('?metric=status&branch=topic')).toMatch(/^smoke: /)
    // A skipped case has no score.
    expect(await title('?metric=score')).toBe('smoke: 0.63 (mean score)')
  })

  it('is an image that clients keep for five minutes and then revalidate, from memory or not', async () => {
    const send = spec.sendAs('read')
    for (const query of ['?label=kept', '?label=kept', '?label=again']) {
      const { statusCode, headers } = await send('GET', PATH + query)
      expect([statusCode, headers]).toMatchObject([
        200,
        {
          'content-type': 'image/svg+xml',
          'cache-control': 'max-age=300',
          'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
          'x-content-type-options': 'nosniff',
          etag: expect.stringMatching(/^"[\w-]+"$/) as string,
        },
      ])
      const held = await send('GET', PATH + query, { headers: { 'if-none-match': String(headers.etag) } })
      expect([held.statusCode, held.body, held.headers['cache-control']]).toEqual([304, '', 'max-age=300'])
    }
    const head = await send('HEAD', PATH)
    expect([head.statusCode, head.body, head.headers['content-type']]).toEqual([200, '', 'image/svg+xml'])
  })

  it('follows the runs of the suite', async () => {
    const path = '/projects/chat/suites/moving/badge.svg'
    const send = spec.sendAs('read')
    const title = async () => titleOf((await send('GET', path)).body)
    await spec.ingest(aDocument({ run_id: 'm1', suite: 'moving', finished_at: '2026-05-05T00:00:00Z' }))
    const first = await title()
    expect(await title()).toBe(first)
    const summary = { total: 7, passed: 7 }
    await spec.ingest(aDocument({ run_id: 'm2', suite: 'moving', finished_at: '2026-05-05T00:01:00Z', summary }))
    expect(await title()).toContain('7 of 7 passed')
    await spec.sendAs('admin')('DELETE', '/runs/m2')
    expect(await title()).toBe(first)
  })

  it('is the same grey image for what is unknown, hidden, or asked for without a credential', async () => {
    const answers = await Promise.all([
      spec.sendAs('read')('GET', '/projects/secret/suites/vault/badge.svg'),
      spec.sendAs('read')('GET', '/projects/secret/suites/vault/badge.svg?metric=score&label=x'),
      spec.sendAs('read')('GET', '/projects/none/suites/none/badge.svg'),
      spec.sendAs('read')('GET', `${PATH}?branch=none`),
      spec.sendAs(null)('GET', PATH),
      spec.sendAs(null)('GET', '/projects/secret/suites/vault/badge.svg'),
    ])
    const comparable = answers.map(({ statusCode, body, headers }) => ({
      statusCode,
      body,
      headers: { ...headers, 'x-request-id': '', date: '' },
    }))
    expect(comparable[0]).toMatchObject({ statusCode: 404, body: UNKNOWN_BADGE })
    expect(comparable).toEqual(comparable.map(() => comparable[0]))
    expect((await spec.sendAs('admin')('GET', '/projects/secret/suites/vault/badge.svg')).statusCode).toBe(200)
  })

  it.each(['metric=none', `label=${'x'.repeat(41)}`, 'branch=a&branch=b', 'more=1'])('rejects %s', async (query) => {
    const answer = await spec.sendAs('read')('GET', `${PATH}?${query}`)
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([400, 'application/json'])
    expect(answer.json<{ error: string }>().error).toContain(query.split('=')[0])
  })
})

describe('a key of a badge', () => {
  const BADGE = '/projects/chat/suites/keyed/badge'
  const keyOf = (url: string): string => new URL(url).searchParams.get('key') ?? ''
  const mint = async (path = BADGE): Promise<string> => {
    const answer = await spec.sendAs('admin')('POST', path)
    expect(answer.statusCode).toBe(201)
    return keyOf(answer.json<{ url: string }>().url)
  }
  const open = async (query: string, path = `${BADGE}.svg`) => {
    const { statusCode, body, headers } = await spec.sendAs(null)('GET', `${path}?${query}`)
    return { statusCode, title: titleOf(body), headers: { ...headers, 'x-request-id': '', date: '' }, body }
  }
  beforeAll(async () => {
    await spec.ingest(aDocument({ run_id: 'k1', suite: 'keyed', finished_at: '2026-05-05T00:00:00Z' }))
    await spec.ingest(aDocument({ run_id: 'k2', suite: 'unkeyed', finished_at: '2026-05-05T00:00:00Z' }))
  })

  it('opens the image without a credential, and nothing else', async () => {
    const answer = await spec.sendAs('admin')('POST', BADGE)
    const { url } = answer.json<{ url: string }>()
    expect(url).toMatch(/^http:\/\/[^/]+\/api\/v1\/projects\/chat\/suites\/keyed\/badge\.svg\?key=badge_[0-9a-f]{64}$/)
    const key = keyOf(url)
    for (const query of [`key=${key}`, `key=${key}`, `label=main&key=${key}`, `metric=score&key=${key}`]) {
      const { statusCode, headers } = await open(query)
      expect([query, statusCode, headers['cache-control']]).toEqual([query, 200, 'max-age=300'])
    }
    expect((await open(`key=${key}`)).title).toBe('keyed: 100.0% (1 of 1 passed, 95% interval 20.7% to 100.0%)')
    const other = [
      `/projects/chat/suites/unkeyed/badge.svg?key=${key}`,
      `/projects/chat/suites/keyed/grid?key=${key}`,
      `/runs?key=${key}`,
      '/projects/chat/suites/keyed/badge.svg',
    ]
    for (const path of other)
      expect([path, (await spec.sendAs(null)('GET', path)).statusCode >= 400]).toEqual([path, true])
    const bearer = { headers: { authorization: `Bearer ${key}` } }
    expect((await spec.sendAs(null)('GET', '/runs', bearer)).statusCode).toBe(401)
  })

  it('is stored as a digest alone', async () => {
    const key = await mint()
    expect((await spec.column('SELECT body FROM event_bodies')).join('\n')).not.toContain(key)
    expect(await spec.column('SELECT key_sha256 FROM badge_keys')).toContain(hash('sha256', key, 'hex'))
  })

  it('gives the same answer for what is unknown, hidden, or another key', async () => {
    const key = await mint()
    const answers = [
      await open('key=badge_wrong'),
      await open(`key=${key.slice(0, -1)}`),
      await open('key=badge_wrong', '/projects/secret/suites/vault/badge.svg'),
      await open(`key=${key}`, '/projects/secret/suites/vault/badge.svg'),
      await open(`key=${key}`, '/projects/none/suites/none/badge.svg'),
      await open(`key=${key}&branch=none`),
      await open('label=x', '/projects/secret/suites/vault/badge.svg'),
    ]
    expect(answers[0]).toMatchObject({ statusCode: 404, body: UNKNOWN_BADGE })
    expect(answers).toEqual(answers.map(() => answers[0]))
    expect((await open(`label=${'x'.repeat(41)}&key=${key}`)).statusCode).toBe(400)
  })

  it('opens nothing by an empty key or an odd spelling, even while the image is in memory for others', async () => {
    const key = await mint()
    // A token without an account shares its cached answers with callers without a credential.
    for (let i = 0; i < 2; i++) expect((await spec.sendAs('read')('GET', `${BADGE}.svg`)).statusCode).toBe(200)
    for (const query of [
      'key=',
      '&key=',
      'key=&',
      'key=%00',
      'Key=x',
      'k%65y=x',
      `key=${key}&key=`,
      `label=%26key=${key}`,
    ])
      expect([query, (await open(query)).statusCode >= 400]).toEqual([query, true])
  })

  it('opens the image until its keys are revoked', async () => {
    const keys = [await mint(), await mint()]
    for (const key of keys) expect((await open(`key=${key}`)).statusCode).toBe(200)
    expect((await spec.sendAs('admin')('DELETE', BADGE)).statusCode).toBe(204)
    for (const key of keys) expect((await open(`key=${key}`)).statusCode).toBe(404)
    const again = await spec.sendAs('admin')('DELETE', BADGE)
    expect([again.statusCode, again.json()]).toEqual([404, { error: 'badge key not found' }])
  })

  it.each([
    ['the suite', 'restricted', { project: 'chat', suite: 'restricted' }],
    ['its project', 'any', { project: 'whole', suite: null }],
  ])('opens the image until %s is restricted; a key that is made later opens it', async (_, suite, scope) => {
    const { project } = scope
    await spec.ingest(aDocument({ run_id: `r-${project}`, project, suite, finished_at: '2026-05-05T00:00:00Z' }))
    const path = `/projects/${project}/suites/${suite}/badge`
    const key = await mint(path)
    expect((await open(`key=${key}`, `${path}.svg`)).statusCode).toBe(200)
    await spec.restrict(project, scope.suite ?? undefined)
    expect((await open(`key=${key}`, `${path}.svg`)).statusCode).toBe(404)
    const later = await mint(path)
    expect((await open(`key=${later}`, `${path}.svg`)).title).toContain('1 of 1 passed')
    // The image follows a run that its bearer may not see, also from memory.
    const summary = { total: 7, passed: 7 }
    const newer = aDocument({ run_id: `s-${project}`, project, suite, finished_at: '2026-05-05T00:01:00Z', summary })
    expect((await spec.ingest(newer, { caller: 'admin' })).statusCode).toBe(201)
    expect((await open(`key=${later}`, `${path}.svg`)).title).toContain('7 of 7 passed')
    const lift = `/sets/${project}${scope.suite === null ? '' : `/suites/${scope.suite}`}/restriction`
    expect((await spec.sendAs('admin')('DELETE', lift)).statusCode).toBe(204)
    expect((await open(`key=${key}`, `${path}.svg`)).statusCode).toBe(404)
  })

  it('is one of at most twenty, and needs the manage level', async () => {
    await spec.ingest(aDocument({ run_id: 'many', suite: 'many', finished_at: '2026-05-05T00:00:00Z' }))
    for (let n = 0; n < 20; n++) await mint('/projects/chat/suites/many/badge')
    const more = await spec.sendAs('admin')('POST', '/projects/chat/suites/many/badge')
    expect([more.statusCode, more.json()]).toEqual([
      409,
      { error: 'a suite has at most 20 badge keys: revoke them first' },
    ])
    const refused = [
      await spec.sendAs('write')('POST', BADGE),
      await spec.sendAs('write')('DELETE', BADGE),
      await spec.sendAs('admin')('POST', '/projects/none/suites/none/badge'),
    ].map((answer) => [answer.statusCode, answer.json<unknown>()])
    expect(refused).toEqual(refused.map(() => [404, { error: 'run set not found' }]))
  })
})
