import { afterAll, describe, expect, it } from 'vitest'
import { openApp } from '../../support/servers/app.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'

// A case without a name is shown by its variables, and without any by the id of its test, wherever it is listed.

const VARS = 'city=Lima, country=Peru'
const named = (test_id: string, more: object) =>
  aCase({ cell: { test_id }, tags: undefined, error: undefined, output: 'flamingo', ...more })
const cases = [
  named('vars-1525dd4fe234', { vars: { city: 'Lima', country: 'Peru' } }),
  named('own', { name: 'Its own name', vars: { city: 'Lima' } }),
  named('plain', {}),
]
const NAMES = [VARS, 'Its own name', null]
afterAll(() => spec.close())

const get = async (path: string) => {
  const answer = await spec.sendAs('read')('GET', path)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer
}
type Row = { readonly name?: string | null; readonly test_id?: string | null; readonly case_key: string }
const rowsAt = async (path: string, member: string) => (await get(path)).json<Record<string, Row[]>>()[member] ?? []
const spec = await openApp()
for (const [run_id, day] of [
  ['base', '2026-05-04'],
  ['head', '2026-05-05'],
] as const) {
  const times = { started_at: `${day}T09:00:00Z`, finished_at: `${day}T09:00:01Z` }
  const answer = await spec.ingest(aDocument({ run_id, cases, ...times }))
  expect(answer.statusCode, answer.body).toBe(201)
}

describe('a case without a name', () => {
  it('has that of its variables in the list, the matrix and the comparison', async () => {
    expect((await rowsAt('/runs/head/cases', 'cases')).map(({ name }) => name)).toEqual(NAMES)
    expect((await rowsAt('/runs/head/matrix/rows', 'rows')).map(({ name }) => name)).toEqual(NAMES)
    expect(
      new Set((await rowsAt('/runs/base/compare/head/cases?filter=all', 'cases')).map(({ name }) => name)),
    ).toEqual(new Set(NAMES))
  })

  it('shows in its detail, and not in the document, which is as it was uploaded', async () => {
    const details = await Promise.all(
      cases.map(async ({ case_key }) => (await get(`/runs/head/cases/${case_key}`)).json<Row>().name ?? null),
    )
    expect(details).toEqual(NAMES)
    const stored = (await get('/runs/head/export')).json<{ cases: readonly Row[] }>()
    expect(stored.cases.map(({ name }) => name)).toEqual([undefined, 'Its own name', undefined])
  })

  it('is found by it in the search within the run', async () => {
    const found = await rowsAt(`/runs/head/cases?${new URLSearchParams({ q: 'Lima, cou' }).toString()}`, 'cases')
    expect(found.map(({ test_id }) => test_id)).toEqual(['vars-1525dd4fe234'])
  })

  it('has it, or the id of its test, among the hits of a search', async () => {
    const hits = await rowsAt('/search?q=flamingo&limit=10', 'cases')
    expect(new Set(hits.map(({ name }) => name))).toEqual(new Set([VARS, 'Its own name', 'plain']))
  })

  it('has it in exports, for the formats that show a name the id of its test too', async () => {
    const [csv, junit, ctrf] = await Promise.all(
      ['csv', 'junit', 'ctrf'].map(async (format) => (await get(`/runs/head/export/${format}`)).body),
    )
    expect(csv).toContain(`"${VARS}"`)
    for (const text of [junit, ctrf]) {
      expect(text).toContain(VARS)
      expect(text).toContain('"plain"')
    }
  })
})
