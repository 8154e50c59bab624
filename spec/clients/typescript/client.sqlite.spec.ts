import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { connect, ErsError } from '../../../clients/typescript/src/index.ts'
import { aCase, aDocument, theExample } from '../../support/documents/documents.ts'
import { startServer } from '../../support/servers/server.ts'

const SAMPLES = new URL('../../interchange/samples/', import.meta.url)
const server = await startServer()
afterAll(() => server.stop())

describe('the TypeScript client', () => {
  const ers = () => connect({ url: `${server.url}/`, token: server.token })

  it('uploads a run once, compressed', async () => {
    const { run_id: id } = theExample()
    const url = `${server.url}/runs/${id}`
    expect(await ers().uploadRun(theExample())).toEqual({ id, url, created: true })
    expect(await ers().uploadRun(JSON.stringify(theExample()))).toEqual({ id, url, created: false })
    expect(await ers().uploadRun(new TextEncoder().encode(JSON.stringify(theExample())))).toMatchObject({
      created: false,
    })
    const { data } = await ers().api.GET('/api/v1/runs/{id}', { params: { path: { id } } })
    expect(data).toMatchObject({ id, suite: 'refunds' })
  })

  it('imports a file of another tool once, by its name', async () => {
    const name = 'test_run_20261122_045649.json'
    // The time of this report is in its name alone.
    const file = new File([readFileSync(new URL(`deepeval/${name}`, SAMPLES))], name)
    expect(await ers().importFile(file, { project: 'imports' })).toMatchObject({
      format: 'deepeval',
      runs: [{ outcome: 'imported', project: 'imports', cases: 3, created_at: '2026-11-22T04:56:49Z' }],
      refused: [],
    })
    const bytes = new Uint8Array(await file.arrayBuffer())
    expect(await ers().importFile(bytes, { name })).toMatchObject({ runs: [{ outcome: 'already_there' }] })
  })

  it('imports a table by a map or a preset, and throws the reason of a refusal', async () => {
    const table = { created_at: '2026-05-04T09:00:00Z', dry_run: true }
    const map = JSON.stringify({
      format: 'csv',
      case: { provider: { column: 'model' }, test: { column: 'id' } },
      status: { column: 'is', pass: ['good'], fail: ['bad'] },
    })
    const csv = 'model,id,is\nm,1,good\nm,2,bad\n'
    expect(await ers().importFile(csv, { ...table, format: 'table', map })).toMatchObject({
      runs: [{ outcome: 'new', statuses: { pass: 1, fail: 1 } }],
    })
    const ragas = readFileSync(new URL('ragas/evaluate.csv', SAMPLES), 'utf8')
    expect(await ers().importFile(ragas, { ...table, map: 'preset:ragas' })).toMatchObject({ runs: [{ cases: 3 }] })
    await expect(ers().importFile('{}')).rejects.toMatchObject({ name: 'ErsError', status: 422 })
  })

  it('reads all pages of a list, one after the other', async () => {
    const cases = Array.from({ length: 7 }, (_, i) => aCase({ cell: { test_id: `test ${i}` } }))
    for (const n of [1, 2, 3]) await ers().uploadRun(aDocument({ run_id: `run/${n}`, project: 'paged', cases }))
    const runs = await Array.fromAsync(ers().runs({ project: 'paged', limit: 2 }), ({ id }) => id)
    expect(runs.sort()).toEqual(['run/1', 'run/2', 'run/3'])
    const keys = await Array.fromAsync(ers().cases('run/2', { limit: 3 }), ({ case_key }) => case_key)
    expect(keys).toEqual(cases.map(({ case_key }) => case_key))
    expect(await Array.fromAsync(ers().cases('run/2', { cached: true }))).toEqual([])
    const pages = await Array.fromAsync(
      ers().pages('/api/v1/runs/{id}/cases', { path: { id: 'run/2' }, query: { limit: 3 } }),
      (page) => page.cases.length,
    )
    expect(pages).toEqual([3, 3, 1])
  })

  it('stops to ask for pages when the caller stops', async () => {
    for await (const { id } of ers().runs({ project: 'paged', limit: 1 })) {
      expect(id).toMatch(/^run\/\d$/)
      break
    }
  })

  it('throws an error with status, message and request id', async () => {
    const missing = ers().api.GET('/api/v1/runs/{id}', { params: { path: { id: 'none' } } })
    await expect(missing).rejects.toMatchObject({
      name: 'ErsError',
      status: 404,
      message: 'run not found',
      requestId: expect.stringMatching(/^\w{26}$/) as string,
    })
    await expect(connect({ url: server.url, token: 'wrong' }).uploadRun(theExample())).rejects.toMatchObject({
      status: 401,
    })
    const clash = ers().uploadRun({ ...theExample(), suite: 'other' })
    await expect(clash).rejects.toBeInstanceOf(ErsError)
    await expect(clash).rejects.toMatchObject({ status: 409 })
    await expect(ers().uploadRun({ ...theExample(), run_id: 7 })).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('run_id') as string,
    })
  })
})
