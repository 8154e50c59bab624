import { afterAll, describe, expect, it } from 'vitest'
import type { CaseInSuite } from '../../../queries/cases/case-in-suite.ts'
import type { CaseList } from '../../../queries/cases/cases.ts'
import type { CommentList } from '../../../queries/runs/comments.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openApp } from '../../support/servers/app.ts'

const set = { project: 'chat', suite: 'smoke' }
const cell = (provider_id: string, test_id: string) => ({ provider_id, test_id })
const CASES = [
  aCase({ cell: cell('one', 'greeting'), output: 'hello' }),
  aCase({ cell: cell('two', 'greeting'), output: 'hi' }),
  aCase({ cell: cell('one', 'farewell'), output: 12345678901234567890n.toString() }),
]
afterAll(() => spec.close())

const get = async (path: string) => spec.sendAs('read')('GET', path)
const json = async (path: string): Promise<unknown> => (await get(path)).json<unknown>()
const firstKey = async (run_id: string): Promise<string> => {
  const { cases } = (await get(`/runs/${run_id}/cases`)).json<CaseList>()
  return cases[0]?.case_key ?? ''
}
const spec = await openApp()
for (const run_id of ['first', 'second', 'third']) await spec.ingest(aDocument({ run_id, ...set, cases: CASES }))
await spec.ingest(aDocument({ run_id: 'alone', project: 'chat', suite: null, cases: CASES }))

describe('a case in its suite', () => {
  it('is the case with the responses that its page would request otherwise', async () => {
    const key = await firstKey('second')
    const { case: detail, ...others } = (await get(`/runs/second/cases/${key}/in-suite`)).json<CaseInSuite>()
    expect(detail).toEqual(await json(`/runs/second/cases/${key}`))
    expect(others).toEqual({
      test: await json(`/runs/second/cases?test=greeting`),
      history: await json(`/projects/chat/suites/smoke/cases/${key}/history?limit=100`),
      runs: await json('/runs?project=chat&suite=smoke&cached=all&limit=20'),
      comments: (await get(`/runs/second/comments?case=${key}`)).json<CommentList>().total,
    })
    expect(others.test.cases).toHaveLength(2)
    expect(others.runs?.runs).toHaveLength(3)
  })

  it('contains the case byte for byte', async () => {
    const key = await firstKey('second')
    const { body } = await get(`/runs/second/cases/${key}/in-suite`)
    expect(body.startsWith(`{"case":${(await get(`/runs/second/cases/${key}`)).body},"test":`)).toBe(true)
  })

  it('has no history without a suite', async () => {
    const key = await firstKey('alone')
    expect(await json(`/runs/alone/cases/${key}/in-suite`)).toMatchObject({ history: null, runs: null })
  })

  it('does not exist for an unknown run or case', async () => {
    expect((await get(`/runs/none/cases/${await firstKey('second')}/in-suite`)).statusCode).toBe(404)
    expect((await get('/runs/second/cases/none/in-suite')).statusCode).toBe(404)
  })

  it('has only runs that the viewer may see', async () => {
    const key = await firstKey('second')
    await spec.ingest(aDocument({ run_id: 'unseen', project: 'secret', suite: 'smoke', cases: CASES }))
    await spec.restrict('secret')
    const path = `/runs/unseen/cases/${key}/in-suite`
    expect((await get(path)).statusCode).toBe(404)
    expect((await get(path)).body).toBe((await get(`/runs/none/cases/${key}/in-suite`)).body)
    expect((await get(`/runs/second/cases/${key}/in-suite`)).body).not.toContain('unseen')
  })
})
