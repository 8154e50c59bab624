import { afterAll, describe, expect, it } from 'vitest'
import type { RunInSuite } from '../../../queries/runs/run-in-suite.ts'
import { openApp, type Send } from '../../support/servers/app.ts'
import { aDocument } from '../../support/documents/documents.ts'

afterAll(() => spec.close())

const get = async (send: Send, path: string): Promise<RunInSuite> => {
  const answer = await send('GET', path)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}
const spec = await openApp()
const mira = await spec.addUser('mira')
for (const run_id of ['first', 'second']) await spec.ingest(aDocument({ run_id, project: 'chat', suite: 'smoke' }))
await spec.ingest(aDocument({ run_id: 'alone', project: null, suite: 'smoke' }))

describe('a run in its suite', () => {
  it('is the run detail with the state of its suite and the previous like run', async () => {
    for (const id of ['first', 'second', 'alone']) {
      const { set, previous, comments, ...run } = await get(spec.sendAs('read'), `/runs/${id}/in-suite`)
      expect(run).toEqual(await get(spec.sendAs('read'), `/runs/${id}`))
      expect(comments).toBe(0)
      expect(set).toEqual(id === 'alone' ? null : { baseline_run_id: null, restricted: false, my_level: null })
      expect({ run_id: id, previous }).toEqual(await get(spec.sendAs('read'), `/runs/${id}/previous`))
      expect(previous?.id ?? null).toBe(id === 'second' ? 'first' : null)
    }
  })

  it('has the current baseline', async () => {
    const headers = { 'content-type': 'application/json' }
    await spec.sendAs('write')('PUT', '/projects/chat/suites/smoke/baseline', { headers, body: '{"run_id":"second"}' })
    expect((await get(spec.sendAs('read'), '/runs/first/in-suite')).set).toMatchObject({ baseline_run_id: 'second' })
    await spec.sendAs('write')('DELETE', '/projects/chat/suites/smoke/baseline')
    expect((await get(spec.sendAs('read'), '/runs/first/in-suite')).set).toMatchObject({ baseline_run_id: null })
  })

  it('has the level of the viewer in its suite', async () => {
    await spec.restrict('chat')
    expect((await mira.send('GET', '/runs/first/in-suite')).statusCode).toBe(404)
    await spec.grant('mira', 'view', 'chat')
    await spec.grant('mira', 'upload', 'chat', 'smoke')
    expect((await get(mira.send, '/runs/first/in-suite')).set).toEqual({
      baseline_run_id: null,
      restricted: true,
      my_level: 'upload',
    })
    expect(await get(mira.send, '/sets/chat/suites/smoke')).toMatchObject({ restricted: true, my_level: 'upload' })
    await spec.lift('chat')
  })

  it('has null as the state of its suite if it has no project', async () =>
    expect((await get(spec.sendAs('read'), '/runs/alone/in-suite')).set).toBeNull())
})
