import { afterAll, describe, expect, it } from 'vitest'
import type { RunChanges } from '../../../queries/runs/run-changes.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openApp, type Send } from '../../support/servers/app.ts'

const spec = await openApp()
afterAll(() => spec.close())

let day = 0
const upload = async (
  run_id: string,
  verdicts: string,
  { project = 'p', provider_id = 'model' }: { readonly project?: string; readonly provider_id?: string } = {},
): Promise<void> => {
  const at = new Date(Date.UTC(2026, 4, ++day)).toISOString()
  const cases = [...verdicts].map((verdict, n) =>
    aCase({ cell: { test_id: `t${n}`, provider_id }, status: verdict === '+' ? 'pass' : 'fail' }),
  )
  const document = aDocument({ run_id, project, suite: 'nightly', started_at: at, finished_at: at, cases })
  expect((await spec.ingest(document, { caller: 'admin' })).statusCode).toBe(201)
}
const read = async (runs: string, send: Send = spec.sendAs('read')): Promise<RunChanges['runs']> => {
  const answer = await send('GET', `/run-changes?runs=${runs}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<RunChanges>().runs
}

describe('the changes of several runs', () => {
  it('are since the previous like run of each, in the order of the request', async () => {
    await upload('a', '++++-')
    await upload('other', '++++-', { provider_id: 'another' })
    await upload('b', '+--++')
    await upload('c', '+--++')
    expect(await read('c,other,b,nothing,a')).toEqual([
      { run_id: 'c', previous: { id: 'b', worse: 0, better: 0 } },
      { run_id: 'other', previous: null },
      { run_id: 'b', previous: { id: 'a', worse: 2, better: 1 } },
      { run_id: 'a', previous: null },
    ])
  })

  it('have no hidden run, as if it did not exist', async () => {
    const viewer = await spec.addUser('viewer')
    await spec.restrict('secret')
    await upload('hidden', '++', { project: 'secret' })
    await upload('hidden-2', '+-', { project: 'secret' })
    expect(await read('hidden-2,nothing', viewer.send)).toEqual([])
    await spec.grant('viewer', 'view', 'secret')
    expect(await read('hidden-2', viewer.send)).toEqual([
      { run_id: 'hidden-2', previous: { id: 'hidden', worse: 1, better: 0 } },
    ])
  })

  it('follow a deletion', async () => {
    await upload('x', '++', { project: 'gone' })
    await upload('y', '-+', { project: 'gone' })
    await upload('z', '++', { project: 'gone' })
    expect(await read('z')).toEqual([{ run_id: 'z', previous: { id: 'y', worse: 0, better: 1 } }])
    expect((await spec.sendAs('admin')('DELETE', '/runs/y')).statusCode).toBe(204)
    expect(await read('z')).toEqual([{ run_id: 'z', previous: { id: 'x', worse: 0, better: 0 } }])
  })

  it('are of 1 to 50 different runs', async () => {
    const ids = Array.from({ length: 51 }, (_, n) => `r${n}`)
    for (const runs of [ids.join(','), 'a,a', '%25'])
      expect((await spec.sendAs('read')('GET', `/run-changes?runs=${runs}`)).statusCode, runs).toBe(400)
    expect(await read(ids.slice(1).join(','))).toEqual([])
  })
})
