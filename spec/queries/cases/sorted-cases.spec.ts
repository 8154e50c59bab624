import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CaseList, CaseListItem } from '../../../queries/cases/cases.ts'
import { CASE_SORTS, type CaseSort } from '../../../domain/lists/case-order.ts'
import { ORDERS } from '../../../queries/sort-order.ts'
import { openApp, type SpecApp } from '../../support/servers/app.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'

const STATUSES = ['fail', 'error', 'xpass', 'skip', 'xfail', 'pass'] as const
const FAILURES = ['error', 'fail', 'xpass', 'skip', 'xfail', 'pass'] as const
const NAMES = ['case 10', 'case 2', 'Case', 'é', '🎉', '\uFFFD', ''] as const
const SIZE = 60

let spec: SpecApp
beforeAll(async () => {
  spec = await openApp()
  const [draws] = fc.sample(
    fc.array(fc.array(fc.nat(99), { minLength: 5, maxLength: 5 }), { minLength: SIZE, maxLength: SIZE }),
    { numRuns: 1, seed: 11 },
  )
  const cases = (draws ?? []).map(([status = 0, score = 0, latency = 0, cost = 0, name = 0], repeat) =>
    aCase({
      cell: { repeat, test_id: `test-${name % 4}` },
      status: STATUSES[status % 6] ?? 'pass',
      score: (score % 5) / 4,
      latency_ms: (latency % 4) * 100,
      output: score % 2 === 0 ? 'needle 1' : 'hay',
      ...(cost % 3 === 0 ? {} : { cost_usd: (cost % 7) / 1000 }),
      ...(name % 3 === 0 ? {} : { name: NAMES[name % NAMES.length] }),
    }),
  )
  await spec.ingest(aDocument({ run_id: 'sorted', cases }))
})
afterAll(() => spec.close())

type Query = Readonly<Record<string, string | number>>
const get = (query: Query) =>
  spec.sendAs('read')(
    'GET',
    `/runs/sorted/cases?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])).toString()}`,
  )
const listAll = async (query: Query): Promise<CaseListItem[]> => {
  const found: CaseListItem[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const answer = await get({ ...query, ...(cursor === undefined ? {} : { cursor }) })
    expect(answer.statusCode, answer.body).toBe(200)
    const page: CaseList = answer.json<CaseList>()
    found.push(...page.cases)
    cursor = page.next_cursor
  }
  return found
}

const valueOf = (sort: CaseSort, item: CaseListItem): number | string | null => {
  switch (sort) {
    case 'document':
      return item.idx
    case 'failures':
      return FAILURES.indexOf(item.status)
    case 'status':
      return STATUSES.indexOf(item.status)
    case 'score':
      return item.status === 'skip' && item.score === 0 ? null : item.score
    case 'latency':
      return item.latency_ms || null
    case 'cost':
      return item.cost_usd
    case 'name':
      return item.name ?? item.test_id ?? item.case_key
  }
}
const compare = (a: number | string, b: number | string): number =>
  typeof a === 'string' || typeof b === 'string'
    ? Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
    : a - b
const sortedAs = (sort: CaseSort, order: 'asc' | 'desc', cases: readonly CaseListItem[]): number[] =>
  cases
    .toSorted((a, b) => {
      const [x, y] = [valueOf(sort, a), valueOf(sort, b)]
      if (x === null || y === null) return Number(x === null) - Number(y === null)
      const [s, t] = sort === 'failures' ? [valueOf('score', a), valueOf('score', b)] : [0, 0]
      const later = s === null || t === null ? Number(s === null) - Number(t === null) : compare(s, t)
      return (order === 'asc' ? compare(x, y) : -compare(x, y)) || later
    })
    .map(({ idx }) => idx)

describe('the case list in another order', () => {
  it('has the cases of the default list, ties in document order, and cases without the value last', async () => {
    for (const filters of [{}, { status: 'fail' }, { q: 'needle' }, { q: 'needle 1', test: 'test-1' }]) {
      const expected = await listAll({ ...filters, limit: 200 })
      expect(expected.length).toBeGreaterThan(0)
      for (const sort of CASE_SORTS) {
        for (const order of ORDERS) {
          const indexes = sortedAs(sort, order, expected)
          for (const limit of [200, 7])
            expect(
              (await listAll({ ...filters, sort, order, limit })).map(({ idx }) => idx),
              JSON.stringify({ ...filters, sort, order, limit }),
            ).toEqual(indexes)
        }
      }
    }
  })

  it('is the default list, with its cursors, if the order is that of the document', async () => {
    const expected = (await get({ limit: 3 })).body
    for (const order of [{ sort: 'document' }, { order: 'asc' }, { sort: 'document', order: 'asc' }])
      expect((await get({ limit: 3, ...order })).body).toBe(expected)
  })

  it('begins with the first page if the cursor is of another list', async () => {
    const first = (await get({ sort: 'cost', limit: 5 })).body
    for (const cursor of ['3', 'cost.desc:3', 'score.asc:3', 'cost.asc:', 'cost.asc:x', 'cost.asc:99999'])
      expect((await get({ sort: 'cost', limit: 5, cursor })).body, cursor).toBe(first)
  })

  it('rejects an unknown order with the orders that there are', async () => {
    const answer = await get({ sort: 'tokens' })
    expect(answer.statusCode).toBe(400)
    for (const word of ['sort', ...CASE_SORTS]) expect(answer.json<{ error: string }>().error).toContain(word)
  })
})
