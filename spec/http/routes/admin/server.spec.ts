import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projections } from '../../../../projections/index.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { aBody, cacheKeyOf } from '../../../support/documents/cache-bodies.ts'
import { noise, postParts } from '../../../support/documents/parts.ts'
import { openApp } from '../../../support/servers/app.ts'
import type { SpecApp } from '../../../support/servers/app.ts'
import { onPostgres } from '../../../support/stores/open-fresh.ts'

const T0 = Date.UTC(2026, 4, 4, 9)

type Server = { readonly [part: string]: unknown } & {
  readonly contents: { readonly database_bytes: number; readonly documents_bytes: number } & {
    readonly part_bytes: { readonly database: number }
    readonly part_bytes_counted_at: string
  }
  readonly read_tables: ReadonlyArray<{ readonly name: string }>
  readonly storage: { readonly free_bytes: number | null; readonly location: string }
}

let spec: SpecApp
let now = T0
beforeAll(async () => {
  spec = await openApp({
    now: () => now,
    publicUrl: 'https://results.example.test',
    retention: { sweepEmptyReasons: ['blank'], runMaxAgeDays: 90 },
  })
  expect(
    (await spec.ingest(aDocument({ project: 'secret', cases: [aCase(), aCase({ cell: { repeat: 1 } })] }))).statusCode,
  ).toBe(201)
  await spec.restrict('secret')
  await spec.sendAs('write')('PUT', `/cache/${cacheKeyOf('one')}`, { body: aBody() })
  now += 1000
  expect((await spec.sendAs('admin')('POST', '/cache/prune?kind=none')).statusCode).toBe(200)
  now += 59_000
})
afterAll(() => spec.close())

const read = async (): Promise<Server> => {
  const answer = await spec.sendAs('admin')('GET', '/server')
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<Server>()
}

describe('the state of the service', () => {
  it('shows the process, the log, the contents and the limits', async () => {
    const found = await read()
    const { size, root } = await spec.service.head()
    expect(found).toMatchObject({
      version: '1.2.3',
      instance: spec.service.instance,
      node_version: process.version,
      started_at: '2026-05-04T09:00:00+00:00',
      uptime_ms: 60_000,
      auth_mode: 'closed',
      public_url: 'https://results.example.test',
      storage: { kind: onPostgres ? 'postgres' : 'sqlite', schema: spec.service.schema },
      retention: {
        run_max_age_days: 90,
        cache_max_age_days: 30,
        cache_max_bytes: 1_073_741_824,
        cache_max_entry_bytes: 4_194_304,
        sweep_empty_reasons: ['blank'],
      },
      log: { size, root, recorded_at: '2026-05-04T09:00:01+00:00' },
      contents: { runs: 1, cases: 2, cache_entries: 1, cache_bytes: aBody().length },
      last: {
        start: { seq: 1, data: { version: '1.2.3' } },
        rebuild: null,
        cache_prune: { seq: size, data: { cause: 'request', kind: 'none', pruned: 0 } },
      },
    })
    expect(found.contents.documents_bytes).toBeGreaterThan(100)
    expect(found.contents.database_bytes).toBeGreaterThan(10_000)
    expect(found.read_tables.map(({ name }) => name)).toEqual(projections.map(({ name }) => name).sort())
  })

  it('shows which read models are of another version', async () => {
    const stateAt = async (stored: number) => {
      await spec.execute(`UPDATE projections SET version = ${stored} WHERE name = 'runs'`)
      return (await read()).read_tables.find(({ name }) => name === 'runs')
    }
    const { version, readableFrom = 0 } = projections.find(({ name }) => name === 'runs') ?? { version: 0 }
    const state = (stored: number, name: string, built: number | null = null) => ({
      name: 'runs',
      version: stored,
      rebuilt_to: 0,
      state: name,
      built,
    })
    expect(await stateAt(version - 1)).toEqual(state(version - 1, 'building'))
    expect(await stateAt(readableFrom - 1)).toEqual(state(readableFrom - 1, 'missing'))
    await spec.execute(`INSERT INTO rebuilds (one, plan, position, models) VALUES (1, '', 2, '["runs"]')`)
    expect(await stateAt(readableFrom - 1)).toEqual(state(readableFrom - 1, 'building', 2))
    await spec.execute('DELETE FROM rebuilds')
    expect(await stateAt(version)).toEqual(state(version, 'current'))
  })

  it('counts the bytes of parts again only after ten minutes, and says when it counted them', async () => {
    const counted = async () => {
      const { contents } = await read()
      return { at: contents.part_bytes_counted_at, bytes: contents.part_bytes.database }
    }
    const TEN_MINUTES = 600_000
    now += TEN_MINUTES
    const from = now
    const { at, bytes } = await counted()
    expect(Date.parse(at)).toBe(from)
    const part = noise(1000, 1)
    expect((await postParts(spec.sendAs('write'), [part])).statusCode).toBe(200)
    now = from + TEN_MINUTES - 1
    expect(await counted()).toEqual({ at, bytes })
    now = from + TEN_MINUTES
    const both = await Promise.all([counted(), counted()])
    expect(both.map((each) => ({ ...each, at: Date.parse(each.at) }))).toEqual(
      [0, 1].map(() => ({ at: now, bytes: bytes + part.length })),
    )
  })

  it('shows where the store is, but no password', async () => {
    const { storage } = await read()
    if (onPostgres) {
      expect(storage.free_bytes).toBeNull()
      expect(storage.location).toMatch(/^postgresql:/)
      const password = new URL(spec.databaseUrl ?? '').password
      if (password !== '') expect(storage.location).not.toContain(password)
    } else {
      expect(storage).toMatchObject({ location: spec.dataDir })
      expect(storage.free_bytes).toBeGreaterThan(0)
    }
  })
})
