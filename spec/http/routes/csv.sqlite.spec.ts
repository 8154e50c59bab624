import { afterAll, describe, expect, it } from 'vitest'
import { parseCsv } from '../../support/http/csv.ts'
import { openApp } from '../../support/servers/app.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'

const MANY = 4_500
afterAll(() => spec.close())

const get = (path: string) => spec.sendAs('read')('GET', path)
const spec = await openApp()
for (const [n, project] of ['chat', '=1+1', 'chat'].entries())
  await spec.ingest(
    aDocument({
      run_id: `run-${n}`,
      project,
      suite: 'a,"b"',
      finished_at: new Date(Date.UTC(2026, 4, 1 + n)).toISOString(),
      origin: { note: n === 2 ? '@SUM(A1)' : `note ${n}` },
      cases: [
        aCase({ name: '-danger', output: 'two\nlines', cost_usd: 0.5 * (3 - n) }),
        aCase({
          cell: { repeat: 1 },
          status: 'fail',
          asserts: [{ kind: 'contains', status: 'fail', score: 0, weight: 1, reason: 'no' }],
        }),
      ],
    }),
  )
await spec.ingest(
  aDocument({
    run_id: 'many',
    project: 'long',
    cases: Array.from({ length: MANY }, (_, repeat) =>
      aCase({ cell: { repeat }, score: (repeat % 100) / 100, output: 'x'.repeat(300) }),
    ),
  }),
)

describe('GET /runs.csv', () => {
  it('returns the filtered list in the asked order, and no formula', async () => {
    const answer = await get('/runs.csv?suite=a%2C%22b%22&sort=cost&order=asc')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(answer.headers['content-disposition']).toBe('attachment; filename="runs.csv"')
    const lines = answer.body.split('\r\n')
    expect(lines[0]).toMatch(/^run_id,project,suite,created_at,note,/)
    expect(lines.slice(1).map((line) => line.split(',,')[0])).toEqual([
      `run-2,chat,"a,""b""",2026-05-03T00:00:00+00:00,'@SUM(A1)`,
      `run-1,'=1+1,"a,""b""",2026-05-02T00:00:00+00:00,note 1`,
      `run-0,chat,"a,""b""",2026-05-01T00:00:00+00:00,note 0`,
      '',
    ])
  })

  it('begins with a byte order mark only on request, and is else the same', async () => {
    for (const [path, separator] of [
      ['/runs.csv', '?'],
      ['/runs.csv?project=none', '&'],
      ['/runs/run-0/cases.csv', '?'],
      ['/runs/many/cases.csv', '?'],
    ]) {
      const [plain, off, marked] = [
        await get(`${path}`),
        await get(`${path}${separator}bom=false`),
        await get(`${path}${separator}bom=true`),
      ]
      expect(plain.rawPayload.subarray(0, 6).toString()).toBe('run_id')
      expect(off.rawPayload.equals(plain.rawPayload)).toBe(true)
      expect(marked.rawPayload.subarray(0, 3).toString('hex')).toBe('efbbbf')
      expect(marked.rawPayload.subarray(3).equals(plain.rawPayload)).toBe(true)
      expect(marked.headers['content-type']).toBe(plain.headers['content-type'])
    }
  })

  it('has only the header if no run matches', async () => {
    const { body } = await get('/runs.csv?project=none')
    expect(body.split('\r\n')).toHaveLength(2)
  })
})

describe('GET /runs/{id}/cases.csv', () => {
  it('returns the filtered cases', async () => {
    const answer = await get('/runs/run-0/cases.csv?status=fail')
    expect(answer.headers['content-disposition']).toBe('attachment; filename="run-0-cases.csv"')
    const [header = [], fields = [], ...others] = parseCsv(answer.body)
    expect(others).toEqual([])
    expect(Object.fromEntries(header.map((name, n) => [name, fields[n]]))).toMatchObject({
      run_id: 'run-0',
      project: 'chat',
      provider: 'model',
      prompt: 'terse',
      test: 'greeting',
      repeat: '1',
      status: 'fail',
      score: '0',
      cost_usd: '',
      latency_ms: '10',
      failed_assertions: 'contains',
      failure_reasons: 'contains: no',
      output_preview: 'Hello there.',
    })
    expect((await get('/runs/run-0/cases.csv?status=pass')).body).toContain(`,'-danger,pass,1,1.5,10,`)
  })

  it('returns a long list completely, in parts', async () => {
    for (const query of ['', '?sort=score&order=desc']) {
      const { body } = await get(`/runs/many/cases.csv${query}`)
      const lines = body.split('\r\n').slice(1, -1)
      expect(lines).toHaveLength(MANY)
      expect(new Set(lines.map((line) => line.split(',')[4])).size).toBe(MANY)
      if (query === '') continue
      const scores = lines.map((line) => Number(line.split(',')[11]))
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    }
  })

  it('has no body for HEAD', async () => {
    const answer = await spec.sendAs('read')('HEAD', '/runs/many/cases.csv')
    expect([answer.statusCode, answer.body]).toEqual([200, ''])
  })
})
