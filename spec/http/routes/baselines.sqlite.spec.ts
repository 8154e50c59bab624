import { afterAll, describe, expect, it } from 'vitest'
import { openApp, type Caller } from '../../support/servers/app.ts'
import { aDocument } from '../../support/documents/documents.ts'

afterAll(() => spec.close())

const BASELINE = '/projects/chat/suites/smoke/baseline'
const pin = (run_id: string, { path = BASELINE, caller = 'write' }: { path?: string; caller?: Caller } = {}) =>
  spec.sendAs(caller)('PUT', path, { headers: { 'content-type': 'application/json' }, body: { run_id } })
const spec = await openApp()
await spec.ingest(aDocument({ run_id: 'mine' }))
await spec.ingest(aDocument({ run_id: 'other-suite', suite: 'full' }))
await spec.ingest(aDocument({ run_id: 'other-project', project: 'other' }))
await spec.ingest(aDocument({ run_id: 'suiteless', suite: null }))
await spec.ingest(aDocument({ run_id: 'homeless', project: null }))

describe('pinning a baseline', () => {
  it('returns the suite and the run', async () => {
    const answer = await pin('mine')
    expect([answer.statusCode, answer.json()]).toEqual([200, { project: 'chat', suite: 'smoke', run_id: 'mine' }])
  })

  it('returns 404 for runs of other sets or without a set, also for admins', async () => {
    for (const caller of ['write', 'admin'] as const) {
      for (const run_id of ['none', '', 'other-suite', 'other-project', 'suiteless', 'homeless']) {
        const answer = await pin(run_id, { caller })
        expect([answer.statusCode, answer.body], run_id).toEqual([404, '{"error":"run not found"}'])
      }
      expect((await pin('mine', { caller, path: '/projects/none/suites/none/baseline' })).body).toBe(
        '{"error":"run not found"}',
      )
    }
  })
})

it('unpinning a baseline returns 204 once, and 404 when no baseline is pinned', async () => {
  await pin('mine')
  expect((await spec.sendAs('write')('DELETE', BASELINE)).statusCode).toBe(204)
  for (const path of [BASELINE, '/projects/none/suites/none/baseline']) {
    const answer = await spec.sendAs('write')('DELETE', path)
    expect([answer.statusCode, answer.body]).toEqual([404, '{"error":"baseline not found"}'])
  }
})
