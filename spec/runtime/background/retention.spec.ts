import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { openSharedCache } from '../../../runtime/cache/open-cache.ts'
import { retentionTasks, warnOfUnknownReasons } from '../../../runtime/background/retention.ts'
import type { ClockGap } from '../../../runtime/background/clock-watch.ts'
import type { SpecApp } from '../../support/servers/app.ts'
import { freshCachePlace } from '../../support/stores/cache-store.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { openingApps } from '../../support/servers/opening-apps.ts'

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 4, 4, 9)
const key = (n: number): string => `sha256:${n.toString(16).padStart(64, '0')}`
const open = openingApps()

type Limits = Partial<Parameters<typeof retentionTasks>[1]>

const setUp = async () => {
  const time = { ms: START }
  const spec = await open({ now: () => time.ms })
  const put = (n: number, fields: Readonly<Record<string, unknown>> = {}) =>
    spec.services.sharedCache.put(
      key(n),
      Buffer.from(JSON.stringify({ created_at: '2026-05-03T22:10:00Z', service_version: '1', output: '', ...fields })),
    )
  const kept = async (): Promise<string[]> => {
    const { entries } = JSON.parse((await spec.as('admin')('GET', '/cache/entries?order=asc')).body) as {
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
    const done: Array<readonly [string, unknown]> = []
    for (const { name, run } of tasks(limits)) done.push([name, await run(new AbortController().signal)])
    return done
  }
  return { spec, time, put, kept, tasks, pass }
}

const recorded = async (spec: SpecApp): Promise<unknown[]> =>
  (
    await spec.column(
      "SELECT b.body FROM events e JOIN event_bodies b ON b.seq = e.seq WHERE e.type IN ('CachePruned', 'RunDeleted') ORDER BY e.seq",
    )
  ).map((body) => JSON.parse(String(body)) as unknown)

describe('what is done each hour', () => {
  it('is the cache, the reasons that are swept, and the runs, in that order', async () => {
    const { tasks } = await setUp()
    expect(tasks({ sweepEmptyReasons: ['blank'], runMaxAgeDays: 1 }).map(({ name }) => name)).toEqual([
      'cache limits',
      'empty reasons',
      'old runs',
    ])
  })

  it('is no sweep without a reason, and no run without an age', async () => {
    const { tasks } = await setUp()
    expect(tasks({}).map(({ name }) => name)).toEqual(['cache limits'])
  })

  it('takes cache entries that are too old, and tells the record that the service did it', async () => {
    const { spec, time, put, kept, pass } = await setUp()
    await put(1)
    time.ms += 1
    await put(2)
    time.ms = START + 30 * DAY_MS + 1
    expect(await pass()).toEqual([['cache limits', { entries: 1 }]])
    expect(await kept()).toEqual([key(2)])
    expect(await recorded(spec)).toMatchObject([{ actor: { kind: 'system' }, data: { cause: 'retention', pruned: 1 } }])
  })

  it('takes the least recently used entries beyond the size', async () => {
    const { spec, time, put, kept, pass } = await setUp()
    await put(1)
    const { size } = (
      JSON.parse((await spec.as('admin')('GET', '/cache/entries')).body) as { entries: [{ size: number }] }
    ).entries[0]
    time.ms += 1
    await put(2)
    time.ms += 1
    await spec.as('read')('GET', `/cache/${key(1)}`)
    expect(await pass({ cache: { max_bytes: size, max_age_days: 30 } })).toEqual([['cache limits', { entries: 1 }]])
    expect(await kept()).toEqual([key(1)])
  })

  it('takes entries of the reasons that are swept at any age, in a prune of its own', async () => {
    const { spec, put, kept, pass } = await setUp()
    await put(1, { empty_reason: 'blank' })
    await put(2, { empty_reason: 'refusal' })
    await put(3, { empty_reason: 'made_up' })
    await put(4)
    expect(await pass({ sweepEmptyReasons: ['blank', 'made_up'] })).toEqual([
      ['cache limits', null],
      ['empty reasons', { entries: 2 }],
    ])
    expect(await kept()).toEqual([key(2), key(4)])
    expect(await recorded(spec)).toMatchObject([
      { data: { cause: 'retention', pruned: 2, empty_reasons: ['blank', 'made_up'] } },
    ])
  })

  it('takes runs by the time they finished', async () => {
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

  it('takes no run of any age when that is beyond all time', async () => {
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

  it('leaves what is too old while the clock is in doubt, takes what is too much, and warns once', async () => {
    const { spec, time, put, kept } = await setUp()
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
    let misfit: ClockGap | null = { clock: time.ms, newest_record: START }
    const lines: unknown[] = []
    const logger = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) })
    const passing = (max_bytes: number) => {
      const limits = {
        cache: { max_bytes, max_age_days: 30 },
        sweepEmptyReasons: [],
        runMaxAgeDays: 30,
      }
      const tasks = retentionTasks({ ...spec.services, logger }, limits, () => misfit)
      return async () => {
        const done: unknown[] = []
        for (const { run } of tasks) done.push(await run(new AbortController().signal))
        return done
      }
    }
    const roomy = passing(1_000_000)
    for (const _ of [1, 2]) expect(await roomy()).toEqual([null, null])
    expect(lines).toEqual([
      expect.objectContaining({
        level: 40,
        clock: new Date(START + 400 * DAY_MS).toISOString(),
        newest_record: new Date(START).toISOString(),
        msg: expect.stringContaining('more than a day ahead') as string,
      }),
    ])
    expect(await kept()).toEqual([key(1), key(2)])
    expect(await passing(0)()).toEqual([{ entries: 2 }, null])
    misfit = null
    expect(await roomy()).toEqual([null, { runs: 1 }])
    expect(await spec.column('SELECT id FROM runs')).toEqual(['new'])
  })

  it('is recorded where something was done alone', async () => {
    const { spec, put, pass } = await setUp()
    await put(1)
    await pass({ sweepEmptyReasons: ['blank'], runMaxAgeDays: 1 })
    expect(await recorded(spec)).toEqual([])
  })

  it('ends with the cache, which tells what is gone by then', async () => {
    const place = await freshCachePlace()
    try {
      const { sharedCache, close } = await openSharedCache({ at: place.at })
      for (let n = 0; n < 500; n++) await sharedCache.put(key(n), Buffer.from('x'))
      const evicted = sharedCache.evict({
        selection: { created_before: null, created_from: 0, empty_reasons: null, model: null, kind: null },
        target_bytes: 0,
      })
      await close()
      const { pruned } = await evicted
      const again = await openSharedCache({ at: place.at })
      const rest = await again.sharedCache.evict({
        selection: { created_before: null, created_from: 0, empty_reasons: null, model: null, kind: null },
        target_bytes: null,
      })
      await again.close()
      expect(pruned).toBeLessThan(500)
      expect(pruned + rest.pruned).toBe(500)
    } finally {
      await place.close()
    }
  })
})

describe('reasons that are swept', () => {
  const warned = (sweepEmptyReasons: readonly string[]): unknown[] => {
    const lines: unknown[] = []
    warnOfUnknownReasons(
      { sweepEmptyReasons },
      pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) }),
    )
    return lines
  }

  it('are warned of where they are not known', () =>
    expect(warned(['blank', 'blnk'])).toMatchObject([{ level: 40, unknown: ['blnk'] }]))
  it('are not warned of where they are', () => expect(warned(['blank', 'refusal'])).toEqual([]))
})
