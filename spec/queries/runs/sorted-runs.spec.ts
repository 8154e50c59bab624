import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunList, RunListItem } from '../../../queries/runs/run-list.ts'
import { parseSortedCursor, RUN_SORTS, sortedCursorText, type RunSort } from '../../../queries/runs/sorted-runs.ts'
import { ORDERS } from '../../../queries/sort-order.ts'
import { openApp, type Send, type SpecApp } from '../../support/servers/app.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { runCount } from '../../support/random/runs.ts'

type Query = Readonly<Record<string, string | number>>
const addressOf = (path: string, query: Query): string =>
  `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])).toString()}`

/** Returns the runs of all pages, following the cursors like a client. */
const listAll = async (send: Send, query: Query): Promise<RunListItem[]> => {
  const found: RunListItem[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const answer = await send('GET', addressOf('/runs', { ...query, ...(cursor === undefined ? {} : { cursor }) }))
    expect(answer.statusCode, answer.body).toBe(200)
    const page: RunList = answer.json<RunList>()
    found.push(...page.runs)
    cursor = page.next_cursor
  }
  return found
}

const valueOf = (sort: RunSort, run: RunListItem): number | null => {
  if (sort === 'time') return Date.parse(run.created_at)
  if (sort === 'uploaded') return Date.parse(run.uploaded_at)
  if (sort === 'pass_rate') return run.case_count === 0 ? null : run.pass_rate
  return sort === 'cost' ? run.cost_usd : run.duration_ms || null
}

/** Sorts a list that is newest first. The sort is stable, so ties stay newest first. */
const sortedAs = (sort: RunSort, order: 'asc' | 'desc', runs: readonly RunListItem[]): string[] =>
  runs
    .toSorted((a, b) => {
      const [x, y] = [valueOf(sort, a), valueOf(sort, b)]
      if (x === null || y === null) return Number(x === null) - Number(y === null)
      return order === 'asc' ? x - y : y - x
    })
    .map(({ id }) => id)

const SIZE = 40
const FILTERS: readonly Query[] = [
  {},
  { project: 'chat' },
  { project: 'chat', suite: 'smoke' },
  { suite: 'smoke' },
  { tag: 'nightly' },
  { provider: 'gpt' },
  { provider: 'claude', suite: 'smoke' },
  { branch: 'main', status: 'fail' },
  { actor: 'mira', cached: 'exclude' },
  { origin: 'ci' },
  { since: Date.UTC(2026, 4, 5), until: Date.UTC(2026, 4, 20) },
]

describe('the run list in another order', () => {
  let spec: SpecApp
  beforeAll(async () => {
    spec = await openApp()
    const [draws] = fc.sample(
      fc.array(fc.array(fc.nat(99), { minLength: 9, maxLength: 9 }), { minLength: SIZE, maxLength: SIZE }),
      { numRuns: 1, seed: 7 },
    )
    for (const [n, draw] of (draws ?? []).entries()) {
      const [project = 0, suite = 0, passed = 0, cost = 0, duration = 0, day = 0, tag = 0, branch = 0, ci = 0] = draw
      const total = passed % 5
      const finished = Date.UTC(2026, 4, 1 + (day % 28))
      await spec.ingest(
        aDocument({
          run_id: `run-${n}`,
          project: [null, 'chat', 'secret'][project % 3] ?? null,
          suite: [null, 'smoke', 'deep'][suite % 3] ?? null,
          started_at: new Date(finished - (duration % 4) * 1000).toISOString(),
          finished_at: new Date(finished).toISOString(),
          filters: { tags: tag % 2 === 0 ? ['nightly'] : [] },
          cases: Array.from({ length: total }, (_, repeat) =>
            aCase({
              cell: { repeat, provider_id: cost % 2 === 0 ? 'gpt' : 'claude' },
              status: repeat <= passed % 3 ? 'pass' : 'fail',
              ...(cost % 3 === 0 ? {} : { cost_usd: (cost % 7) / 1000 }),
            }),
          ),
          origin: {
            actor: ci % 2 === 0 ? 'mira' : 'tom',
            ...(branch % 2 === 0 ? { git_branch: 'main' } : {}),
            ...(ci % 3 === 0 ? { ci_provider: 'github' } : {}),
          },
        }),
      )
    }
  })
  afterAll(() => spec.close())

  it('has the runs of the default list, ties newest first, and runs without the value last', async () => {
    const send = spec.sendAs('read')
    for (const filters of FILTERS) {
      const expected = await listAll(send, { ...filters, limit: 200 })
      for (const sort of RUN_SORTS) {
        for (const order of ORDERS) {
          const asked = { ...filters, sort, order }
          const ids = sortedAs(sort, order, expected)
          for (const limit of [200, 7])
            expect(
              (await listAll(send, { ...asked, limit })).map(({ id }) => id),
              JSON.stringify({ ...asked, limit }),
            ).toEqual(ids)
        }
      }
    }
  })

  it('is the default list, with its cursors, if the order is newest first', async () => {
    const send = spec.sendAs('read')
    for (const sort of ['sort=time', 'order=desc', 'sort=time&order=desc'])
      expect((await send('GET', `/runs?limit=3&${sort}`)).body).toBe((await send('GET', '/runs?limit=3')).body)
  })

  it('counts hidden cached runs on its first page, as the default list does', async () => {
    const send = spec.sendAs('read')
    const [first, other] = [
      (await send('GET', '/runs?cached=exclude')).json<RunList>(),
      (await send('GET', '/runs?cached=exclude&sort=cost')).json<RunList>(),
    ]
    expect(other.cached_hidden).toBe(first.cached_hidden)
    expect(other.cached_hidden).not.toBeNull()
    const next = (await send('GET', '/runs?cached=exclude&sort=cost&limit=1')).json<RunList>().next_cursor ?? ''
    expect(
      (await send('GET', addressOf('/runs', { cached: 'exclude', sort: 'cost', cursor: next }))).json<RunList>()
        .cached_hidden,
    ).toBeNull()
  })

  it('has no hidden run, and hidden runs change no byte', async () => {
    const viewer = await spec.addUser('viewer')
    const before: string[] = []
    for (const sort of RUN_SORTS)
      before.push((await viewer.send('GET', `/runs?sort=${sort}&order=asc&cached=exclude`)).body)
    await spec.restrict('hidden-project')
    await spec.ingest(aDocument({ run_id: 'hidden', project: 'hidden-project' }), { caller: 'admin' })
    for (const [n, sort] of RUN_SORTS.entries())
      expect((await viewer.send('GET', `/runs?sort=${sort}&order=asc&cached=exclude`)).body).toBe(before[n])
    expect((await listAll(spec.sendAs('admin'), { sort: 'cost', limit: 200 })).map(({ id }) => id)).toContain('hidden')
    await spec.grant('viewer', 'view', 'hidden-project')
    expect((await listAll(viewer.send, { sort: 'cost', limit: 200 })).map(({ id }) => id)).toContain('hidden')
    await spec.sendAs('admin')('DELETE', '/runs/hidden')
  })

  it('rejects an unknown order with the orders that there are', async () => {
    const answer = await spec.sendAs('read')('GET', '/runs?sort=name')
    expect(answer.statusCode).toBe(400)
    const { error } = answer.json<{ error: string }>()
    for (const word of ['sort', ...RUN_SORTS]) expect(error).toContain(word)
    const direction = (await spec.sendAs('read')('GET', '/runs?order=up')).json<{ error: string }>().error
    for (const word of ['order', ...ORDERS]) expect(direction).toContain(word)
  })
})

it('cursors of a sorted list round-trip for any run, and only in the same order', () => {
  fc.assert(
    fc.property(
      fc.option(fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.maxSafeInteger()), { nil: null }),
      fc.maxSafeInteger().filter((ms) => Math.abs(ms) < 1e15),
      fc.string({ unit: 'binary', minLength: 1 }),
      (value, created_at, id) => {
        const order = { sort: 'cost', order: 'asc' } as const
        const text = sortedCursorText(order, { value: value === 0 ? 0 : value, created_at, id })
        expect(parseSortedCursor(order, text)).toEqual({ value: value === 0 ? 0 : value, created_at, id })
        expect(parseSortedCursor({ ...order, order: 'desc' }, text)).toBeNull()
        expect(parseSortedCursor({ ...order, sort: 'time' }, text)).toBeNull()
      },
    ),
    { numRuns: runCount(100) },
  )
})
