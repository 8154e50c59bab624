import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { CacheStats } from '../../../../queries/cache/facets.ts'
import type { CacheList } from '../../../../queries/cache/item.ts'
import type { SpecApp } from '../../../support/servers/app.ts'
import { aBody, cacheKeyOf } from '../../../support/documents/cache-bodies.ts'
import { onPostgres } from '../../../support/stores/open-fresh.ts'
import { appOpener } from '../../../support/servers/opening-apps.ts'
import { onFile } from '../../../support/stores/store.ts'

// Reads of the cache need no write. Triggers that reject every change
// of totals and of last accesses simulate a full disk.

const open = appOpener()
const START = Date.UTC(2026, 4, 4)

const ON_DATABASE = `
  CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
  CREATE TRIGGER full_totals BEFORE INSERT OR UPDATE ON cache_totals FOR EACH ROW EXECUTE FUNCTION disk_full();
  CREATE TRIGGER full_entries BEFORE UPDATE ON cache_entries FOR EACH ROW EXECUTE FUNCTION disk_full();`
const ON_FILE = `
  CREATE TRIGGER full_totals BEFORE UPDATE ON cache_totals BEGIN SELECT RAISE(ABORT, 'disk full'); END;
  CREATE TRIGGER full_entries BEFORE UPDATE ON cache_entries BEGIN SELECT RAISE(ABORT, 'disk full'); END;`

const onCache = async (spec: SpecApp, text: string): Promise<unknown> =>
  onPostgres ? spec.execute(text) : onFile(join(spec.dataDir, 'cache.db'), (database) => database.exec(text))
const simulateFullDisk = (spec: SpecApp) => onCache(spec, onPostgres ? ON_DATABASE : ON_FILE)
const endFullDisk = (spec: SpecApp) =>
  onCache(
    spec,
    `DROP TRIGGER full_totals${onPostgres ? ' ON cache_totals' : ''}; DROP TRIGGER full_entries${onPostgres ? ' ON cache_entries' : ''}`,
  )

it('a cache that cannot write still serves reads and loses no lookup', async () => {
  let now = START
  const spec = await open({ now: () => now })
  const [a, b] = [cacheKeyOf('a'), cacheKeyOf('b')]
  for (const key of [a, b])
    expect((await spec.sendAs('write')('PUT', `/cache/${key}`, { body: aBody({ output: 'hello' }) })).statusCode).toBe(
      201,
    )
  await spec.services.sharedCache.settle()
  const stats = async (): Promise<CacheStats> => {
    const answer = await spec.sendAs('read')('GET', '/cache/stats')
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json<CacheStats>()
  }
  const keysListed = async (query: string): Promise<string[]> => {
    const answer = await spec.sendAs('admin')('GET', `/cache/entries?${query}`)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json<CacheList>().entries.map(({ key }) => key)
  }

  await simulateFullDisk(spec)
  now += 1000
  expect((await spec.sendAs('read')('GET', `/cache/${a}`)).statusCode).toBe(200)
  expect((await spec.sendAs('read')('GET', `/cache/${cacheKeyOf('none')}`)).statusCode).toBe(404)
  for (const _ of [1, 2]) expect(await stats()).toMatchObject({ entries: 2, hits: 1, misses: 1 })
  expect((await keysListed('sort=last_access')).toSorted()).toEqual([a, b].toSorted())
  expect(await keysListed('q=hello')).toHaveLength(2)
  expect((await spec.sendAs('read')('GET', `/cache/entries/${a}`)).statusCode).toBe(200)

  await endFullDisk(spec)
  expect(await keysListed('sort=last_access')).toEqual([a, b])
  expect(await stats()).toMatchObject({ entries: 2, hits: 1, misses: 1 })
})

it('a list by last access shows a read immediately', async () => {
  let now = START
  const spec = await open({ now: () => now })
  const keys = ['a', 'b', 'c'].map(cacheKeyOf)
  for (const key of keys)
    expect((await spec.sendAs('write')('PUT', `/cache/${key}`, { body: aBody() })).statusCode).toBe(201)
  for (const key of keys) {
    now += 1000
    await spec.sendAs('read')('GET', `/cache/${key}`)
    const answer = await spec.sendAs('admin')('GET', '/cache/entries?sort=last_access')
    expect(answer.json<CacheList>().entries[0]).toMatchObject({
      key,
      last_access_at: new Date(now).toISOString().replace('.000Z', '+00:00'),
    })
  }
})
