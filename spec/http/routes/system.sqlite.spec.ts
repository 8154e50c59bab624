import { afterAll, describe, expect, it } from 'vitest'
import type { AuthMode } from '../../../http/services.ts'
import { openApp } from '../../support/servers/app.ts'
import { aDocument } from '../../support/documents/documents.ts'

const spec = await openApp()
afterAll(() => spec.close())

describe('health', () => {
  it('is ok on every path that monitors use, without a credential', async () => {
    for (const url of ['/health', '/api/v1/health', '/healthz', '/livez'])
      expect((await spec.app.inject(url)).json()).toEqual({ status: 'ok' })
  })

  it('is ready while the store responds, and 503 when it does not', async () => {
    const own = await openApp()
    const paths = ['/api/v1/ready', '/readyz', '/ready']
    for (const url of paths) expect((await own.app.inject(url)).json()).toEqual({ status: 'ready' })
    await own.service.close()
    for (const url of paths) {
      const answer = await own.app.inject(url)
      expect(answer.statusCode).toBe(503)
      expect(answer.headers['retry-after']).toBe('1')
      expect(answer.json()).toEqual({ error: 'the store is busy or unavailable; try again' })
    }
    await own.app.close()
  })
})

it('a server whose disk is full names the disk in readiness, refuses cache entries with 503, and serves reads', async () => {
  let isFull = true
  const own = await openApp({ parts: () => ({ isDiskFull: () => isFull }) })
  const problem = 'the disk of the store is full: free space on it, or delete runs or cache entries'
  const put = () =>
    own.sendAs('write')('PUT', `/cache/sha256:${'0'.repeat(64)}`, {
      headers: { 'content-type': 'application/octet-stream' },
      body: 'x',
    })
  expect((await own.app.inject('/readyz')).json()).toEqual({ status: 'ready', problem })
  const refused = await put()
  expect([refused.statusCode, refused.json(), refused.headers['retry-after']]).toEqual([503, { error: problem }, '1'])
  expect((await own.sendAs('read')('GET', '/runs')).statusCode).toBe(200)
  isFull = false
  expect((await own.app.inject('/readyz')).json()).toEqual({ status: 'ready' })
  expect((await put()).statusCode).toBe(201)
  await own.close()
})

it.each<AuthMode>(['open', 'protect-writes', 'closed'])(
  'meta describes the service to any caller, in %s mode',
  async (mode) => {
    const own = await openApp({ mode })
    expect((await own.sendAs(null)('GET', '/meta')).json()).toEqual({
      name: 'service',
      version: '1.2.3',
      auth_mode: mode,
      setup_required: true,
      supported_schema_versions: [2, 3],
      result_schema_version: 3,
      cache: { max_entry_bytes: 4194304, max_bytes: 1073741824, max_age_days: 30 },
      sso_providers: [],
      cache_tiers: [{ id: 'server', label: 'Server', search: 'fts' }],
      mcp_enabled: false,
    })
    await own.close()
  },
)

describe('metrics', () => {
  it('count requests by route and status, never by path', async () => {
    await spec.ingest(aDocument({ run_id: 'a-run-of-mine' }))
    await spec.sendAs('read')('GET', '/runs/a-run-of-mine')
    await spec.sendAs('read')('GET', '/runs/none-such')
    const answer = await spec.sendAs('admin')('GET', '/metrics')
    expect(answer.headers['content-type']).toMatch(/^text\/plain/)
    expect(answer.body).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/runs\/:id",status="200"\} 1/,
    )
    expect(answer.body).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/runs\/:id",status="404"\} 1/,
    )
    expect(answer.body).not.toMatch(/a-run-of-mine|none-such/)
  })

  it('show the position of the log', async () => {
    const position = async () =>
      Number(/^service_log_position (\d+)$/m.exec((await spec.sendAs('admin')('GET', '/metrics')).body)?.[1])
    const before = await position()
    await spec.ingest(aDocument({ run_id: 'one-more' }))
    expect(await position()).toBe(before + 1)
  })
})
