import { describe, expect, it } from 'vitest'
import type { SpecApp } from '../../support/servers/app.ts'
import { cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { appOpener } from '../../support/servers/opening-apps.ts'

const open = appOpener()
const DAY = 86_400_000
const START = Date.UTC(2026, 4, 4)

type Spec = { readonly spec: SpecApp; readonly time: { ms: number } }

/** Five runs in two suites, and five cache entries: one old, one with an empty reason, three young and large. */
const setUp = async (options: Parameters<typeof open>[0] = {}): Promise<Spec> => {
  const time = { ms: START }
  const spec = await open({
    now: () => time.ms,
    limits: { max_age_days: 30, max_bytes: 400 },
    retention: { runMaxAgeDays: 30, sweepEmptyReasons: ['blank'] },
    ...options,
  })
  for (const [run_id, suite, hour] of [
    ['a', 'x', 0],
    ['b', 'x', 1],
    ['c', 'x', 2],
    ['d', 'hidden', 0],
    ['e', 'hidden', 1],
  ] as const) {
    const finishedAt = new Date(START + hour * 3_600_000).toISOString()
    expect(
      (await spec.ingest(aDocument({ run_id, project: 'p', suite, started_at: finishedAt, finished_at: finishedAt })))
        .statusCode,
    ).toBe(201)
  }
  const put = (name: string, fields: object) =>
    spec.sendAs('write')('PUT', `/cache/${cacheKeyOf(name)}`, {
      body: JSON.stringify({ created_at: '2026-05-03T22:10:00Z', service_version: '1', output: '', ...fields }),
    })
  await put('old', {})
  time.ms = START + 31 * DAY
  await put('blank', { empty_reason: 'blank' })
  // More bytes than the limit: the least recently used remaining entries are deleted.
  for (const [i, name] of ['first', 'second', 'third'].entries()) {
    time.ms = START + 31 * DAY + i + 1
    await put(name, { text: 'x'.repeat(100) })
  }
  return { spec, time }
}

const requestRetention = async (spec: SpecApp, query = '', caller: 'admin' | null = 'admin') => {
  const { statusCode, body } = await spec.sendAs(caller)('POST', `/retention${query}`)
  return [statusCode, JSON.parse(body) as unknown]
}
const runs = (spec: SpecApp) => spec.column('SELECT id FROM runs ORDER BY id')
const entries = async (spec: SpecApp): Promise<number> =>
  (await spec.sendAs('read')('GET', '/cache/stats')).json<{ entries: number }>().entries

describe('requested retention', () => {
  it('counts what it would delete, deletes exactly that, and records its actor', async () => {
    const { spec } = await setUp()
    const [status, preview] = await requestRetention(spec, '?dry_run=true')
    expect([status, preview]).toEqual([200, { dry_run: true, runs: 3, cache_entries: expect.any(Number) as number }])
    expect([await runs(spec), await entries(spec)]).toEqual([['a', 'b', 'c', 'd', 'e'], 5])
    const entryCount = (preview as { cache_entries: number }).cache_entries
    // The old entry, the one with a swept reason, and at least one beyond the size limit.
    expect(entryCount).toBeGreaterThan(2)

    expect(await requestRetention(spec)).toEqual([200, { dry_run: false, runs: 3, cache_entries: entryCount }])
    expect([await runs(spec), await entries(spec)]).toEqual([['c', 'e'], 5 - entryCount])
    const bodies = await spec.column(
      "SELECT b.body FROM events e JOIN event_bodies b ON b.seq = e.seq WHERE e.type IN ('RunDeleted', 'CachePruned') ORDER BY e.seq",
    )
    const recorded = bodies.map(
      (body) => JSON.parse(String(body)) as { actor: { kind: string }; data: { cause: string } },
    )
    expect(recorded.map(({ actor, data }) => [actor.kind, data.cause])).toEqual(
      recorded.map(() => ['static', 'retention']),
    )
    expect(recorded.filter(({ data }) => 'document_sha256' in data)).toHaveLength(3)

    expect(await requestRetention(spec, '?dry_run=false')).toEqual([200, { dry_run: false, runs: 0, cache_entries: 0 }])
  })

  it('neither deletes nor counts runs that the caller may not see', async () => {
    const { spec } = await setUp({ mode: 'open' })
    await spec.restrict('p', 'hidden')
    expect(await requestRetention(spec, '?dry_run=true', null)).toMatchObject([200, { runs: 2 }])
    expect(await requestRetention(spec, '', null)).toMatchObject([200, { runs: 2 }])
    expect(await runs(spec)).toEqual(['c', 'd', 'e'])
  })

  it('deletes no run when no maximum age is configured', async () => {
    const { spec } = await setUp({ retention: {} })
    expect(await requestRetention(spec)).toMatchObject([200, { runs: 0 }])
  })

  it('accepts only true and false for dry_run, and names the parameter', async () => {
    const { spec } = await setUp()
    expect(await requestRetention(spec, '?dry_run=yes')).toEqual([
      400,
      { error: expect.stringContaining('dry_run') as string },
    ])
    expect(await runs(spec)).toHaveLength(5)
  })
})
