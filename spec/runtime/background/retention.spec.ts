import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { openSharedCache } from '../../../runtime/cache/open-cache.ts'
import { retentionTasks, warnOfUnknownReasons } from '../../../runtime/background/retention.ts'
import type { ClockGap } from '../../../runtime/background/clock-watch.ts'
import type { SpecApp } from '../../support/servers/app.ts'
import { freshCacheLocation } from '../../support/stores/cache-store.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { appOpener } from '../../support/servers/opening-apps.ts'

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 4, 4, 9)
const key = (n: number): string => `sha256:${n.toString(16).padStart(64, '0')}`
const open = appOpener()

type Limits = Partial<Parameters<typeof retentionTasks>[1]>

const setUp = async () => {
  const time = { ms: START }
  const spec = await open({ now: () => time.ms })
  const put = (n: number, fields: Readonly<Record<string, unknown>> = {}) =>
    spec.services.sharedCache.put(
      key(n),
      Buffer.from(JSON.stringify({ created_at: '2026-05-03T22:10:00Z', service_version: '1', output: '', ...fields })),
    )
  const storedKeys = async (): Promise<string[]> => {
    const { entries } = JSON.parse((await spec.sendAs('admin')('GET', '/cache/entries?order=asc')).body) as {
      entries: ReadonlyArray<{ key: string }>
    }
    return entries.map((entry) => entry.key)
  }
  const tasks = (limits: Limits) =>
    retentionTasks(spec.services, {
      cache: { max_bytes: 1_000_000, max_age_days: 30 },
      sweepEmptyReasons: [],
      runMaxAgeDays: null,
      ...limits,
    })
  const pass = async (limits: Limits = {}) => {
    const results: Array<readonly [string, unknown]> = []
    for (const { name, run } of tasks(limits)) results.push([name, await run(new AbortController().signal)])
    return results
  }
  return { spec, time, put, storedKeys, tasks, pass }
}

const recorded = async (spec: SpecApp): Promise<unknown[]> =>
  (
    await spec.column(
      "SELECT b.body FROM events e JOIN event_bodies b ON b.seq = e.seq WHERE e.type IN ('CachePruned', 'RunDeleted') ORDER BY e.seq",
    )
  ).map((body) => JSON.parse(String(body)) as unknown)

describe('the hourly tasks', () => {
  it('apply the cache limits, sweep empty reasons and expire runs, in that order', async () => {
    const { tasks } = await setUp()
    expect(tasks({ sweepEmptyReasons: ['blank'], runMaxAgeDays: 1 }).map(({ name }) => name)).toEqual([
      'cache limits',
      'empty reasons',
      'old runs',
    ])
  })

  it('skip the sweep if no reasons are set, and the runs if no age limit is set', async () => {
    const { tasks } = await setUp()
    expect(tasks({}).map(({ name }) => name)).toEqual(['cache limits'])
  })

  it('delete cache entries that are too old, and record the service as the actor', async () => {
    const { spec, time, put, storedKeys, pass } = await setUp()
    await put(1)
    time.ms += 1
    await put(2)
    time.ms = START + 30 * DAY_MS + 1
    expect(await pass()).toEqual([['cache limits', { entries: 1 }]])
    expect(await storedKeys()).toEqual([key(2)])
    expect(await recorded(spec)).toMatchObject([{ actor: { kind: 'system' }, data: { cause: 'retention', pruned: 1 } }])
  })

  it('delete the least recently used entries beyond the size limit', async () => {
    const { spec, time, put, storedKeys, pass } = await setUp()
    await put(1)
    const { size } = (
      JSON.parse((await spec.sendAs('admin')('GET', '/cache/entries')).body) as { entries: [{ size: number }] }
    ).entries[0]
    time.ms += 1
    await put(2)
    time.ms += 1
    await spec.sendAs('read')('GET', `/cache/${key(1)}`)
    expect(await pass({ cache: { max_bytes: size, max_age_days: 30 } })).toEqual([['cache limits', { entries: 1 }]])
    expect(await storedKeys()).toEqual([key(1)])
  })

  it('delete entries with a swept empty reason at any age, in a separate prune', async () => {
    const { spec, put, storedKeys, pass } = await setUp()
    await put(1, { empty_reason: 'blank' })
    await put(2, { empty_reason: 'refusal' })
    await put(3, { empty_reason: 'made_up' })
    await put(4)
    expect(await pass({ sweepEmptyReasons: ['blank', 'made_up'] })).toEqual([
      ['cache limits', null],
      ['empty reasons', { entries: 2 }],
    ])
    expect(await storedKeys()).toEqual([key(2), key(4)])
    expect(await recorded(spec)).toMatchObject([
      { data: { cause: 'retention', pruned: 2, empty_reasons: ['blank', 'made_up'] } },
    ])
  })

  it('delete runs by their finish time', async () => {
    const { spec, time, pass } = await setUp()
    for (const [run_id, second] of [
      ['old', '00'],
      ['new', '02'],
    ] as const) {
      const at = `2026-05-04T09:00:${second}Z`
      await spec.ingest(aDocument({ run_id, started_at: at, finished_at: at }))
    }
    time.ms = START + 7 * DAY_MS
    expect(await pass({ runMaxAgeDays: 7 })).toEqual([
      ['cache limits', null],
      ['old runs', null],
    ])
    time.ms += 1000
    expect(await pass({ runMaxAgeDays: 7 })).toEqual([
      ['cache limits', null],
      ['old runs', { runs: 1 }],
    ])
    expect(await recorded(spec)).toMatchObject([{ stream: 'run/old', data: { cause: 'retention' } }])
  })

  it('delete no run if the age limit reaches back before the first valid date', async () => {
    const { spec, pass } = await setUp()
    for (const [run_id, year] of [
      ['old', '0000'],
      ['new', '2026'],
    ] as const)
      await spec.ingest(
        aDocument({ run_id, started_at: `${year}-01-01T00:00:00Z`, finished_at: `${year}-01-01T00:00:00Z` }),
      )
    expect(await pass({ runMaxAgeDays: 999_999_999_999_999 })).toEqual([
      ['cache limits', null],
      ['old runs', null],
    ])
  })

  it('apply only the size limit while the clock is in doubt, and warn once', async () => {
    const { spec, time, put, storedKeys } = await setUp()
    await spec.ingest(
      aDocument({ run_id: 'old', started_at: '2026-05-04T09:00:00Z', finished_at: '2026-05-04T09:00:00Z' }),
    )
    await spec.ingest(
      aDocument({ run_id: 'new', started_at: '2026-05-04T09:00:01Z', finished_at: '2026-05-04T09:00:01Z' }),
    )
    for (const n of [1, 2]) {
      time.ms += 1
      await put(n)
    }
    time.ms = START + 400 * DAY_MS
    let gap: ClockGap | null = { clock: time.ms, newest_record: START }
    const lines: unknown[] = []
    const logger = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) })
    const passing = (max_bytes: number) => {
      const limits = {
        cache: { max_bytes, max_age_days: 30 },
        sweepEmptyReasons: [],
        runMaxAgeDays: 30,
      }
      const tasks = retentionTasks({ ...spec.services, logger }, limits, () => gap)
      return async () => {
        const results: unknown[] = []
        for (const { run } of tasks) results.push(await run(new AbortController().signal))
        return results
      }
    }
    const passWithRoom = passing(1_000_000)
    for (const _ of [1, 2]) expect(await passWithRoom()).toEqual([null, null])
    expect(lines).toEqual([
      expect.objectContaining({
        level: 40,
        clock: new Date(START + 400 * DAY_MS).toISOString(),
        newest_record: new Date(START).toISOString(),
        msg: expect.stringContaining('more than a day ahead') as string,
      }),
    ])
    expect(await storedKeys()).toEqual([key(1), key(2)])
    expect(await passing(0)()).toEqual([{ entries: 2 }, null])
    gap = null
    expect(await passWithRoom()).toEqual([null, { runs: 1 }])
    expect(await spec.column('SELECT id FROM runs')).toEqual(['new'])
  })

  it('are recorded only if they deleted something', async () => {
    const { spec, put, pass } = await setUp()
    await put(1)
    await pass({ sweepEmptyReasons: ['blank'], runMaxAgeDays: 1 })
    expect(await recorded(spec)).toEqual([])
  })

  it('end an eviction early when the cache closes, and return what it removed', async () => {
    const location = await freshCacheLocation()
    try {
      const { sharedCache, close } = await openSharedCache({ store: location.storeLocation })
      for (let n = 0; n < 500; n++) await sharedCache.put(key(n), Buffer.from('x'))
      const evicted = sharedCache.evict({
        selection: { created_before: null, created_from: 0, empty_reasons: null, model: null, kind: null },
        target_bytes: 0,
      })
      await close()
      const { pruned } = await evicted
      const again = await openSharedCache({ store: location.storeLocation })
      const rest = await again.sharedCache.evict({
        selection: { created_before: null, created_from: 0, empty_reasons: null, model: null, kind: null },
        target_bytes: null,
      })
      await again.close()
      expect(pruned).toBeLessThan(500)
      expect(pruned + rest.pruned).toBe(500)
    } finally {
      await location.close()
    }
  })
})

describe('swept empty reasons', () => {
  const warned = (sweepEmptyReasons: readonly string[]): unknown[] => {
    const lines: unknown[] = []
    warnOfUnknownReasons(
      { sweepEmptyReasons },
      pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) }),
    )
    return lines
  }

  it('cause a warning if they are unknown', () =>
    expect(warned(['blank', 'blnk'])).toMatchObject([{ level: 40, unknown: ['blnk'] }]))
  it('cause no warning if they are known', () => expect(warned(['blank', 'refusal'])).toEqual([]))
})
