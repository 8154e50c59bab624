import { afterAll, expect, it } from 'vitest'
import { aDocument } from '../../support/documents/documents.ts'
import { startServer } from '../../support/servers/server.ts'

afterAll(() => server.stop())

const send = (method: string, path: string, body?: object) =>
  fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${server.token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
const read = async <T>(path: string): Promise<T> => (await send('GET', path)).json() as Promise<T>
const server = await startServer()

it('the writer thread invalidates cached responses before it answers', async () => {
  const suite = { project: 'chat', suite: 'smoke' }
  for (let i = 0; i < 30; i++) {
    const ids = async () => (await read<{ runs: Array<{ id: string }> }>('/runs?project=chat')).runs.map(({ id }) => id)
    const view = () => read<{ run_count: number; baseline_run_id: string | null }>('/sets/chat/suites/smoke')
    const run_id = `run-${i}`
    await Promise.all([ids(), view()])
    expect((await send('POST', '/runs', aDocument({ run_id, ...suite }))).status).toBe(201)
    expect(await ids()).toContain(run_id)
    expect((await send('PUT', '/projects/chat/suites/smoke/baseline', { run_id })).status).toBe(200)
    expect(await view()).toMatchObject({ baseline_run_id: run_id })
    if (i % 3 !== 0) continue
    expect((await send('GET', `/runs/${run_id}`)).status).toBe(200)
    expect((await send('DELETE', `/runs/${run_id}`)).status).toBe(204)
    expect(await ids()).not.toContain(run_id)
    expect((await send('GET', `/runs/${run_id}`)).status).toBe(404)
    if (i > 0) expect(await view()).toMatchObject({ baseline_run_id: null })
  }
})
