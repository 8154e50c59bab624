import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UNKNOWN_BADGE } from '../../../../domain/badge.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { openApp } from '../../../support/servers/app.ts'
import type { SpecApp } from '../../../support/servers/app.ts'

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
    expect(await title('')).toBe('smoke: 33.3% (1 of 3 passed, 95% interval 6.1% to 79.2%)')
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
          'content-security-policy': "default-src 'none'",
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
