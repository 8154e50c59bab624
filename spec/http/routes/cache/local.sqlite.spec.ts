import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listedMetadata } from '../../../../domain/cache/listing.ts'
import type { CacheList } from '../../../../queries/cache/item.ts'
import { localDirectory } from '../../../../queries/cache/local.ts'
import { openLocalCache } from '../../../../storage/disk/cache-directory.ts'
import { openApp, type SpecApp } from '../../../support/servers/app.ts'
import { aBody, cacheKeyOf } from '../../../support/documents/cache-bodies.ts'

let directory: string
let spec: SpecApp
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ers-local-'))
  write('old', aBody({ model: 'm', output: 'an old answer', raw: { id: 1 } }), 1_700_000_000)
  write('new', aBody({ model: 'n', kind: 'judge', empty_reason: 'blank' }), 1_700_000_100)
  write('opaque', Buffer.from('opaque'), 1_700_000_050)
  const localCache = localDirectory(
    await openLocalCache({ directory, maxFiles: 3, maxBytes: 10_000, describe: listedMetadata, clock: () => 0 }),
  )
  spec = await openApp({ parts: () => ({ localCache }) })
  expect((await spec.sendAs('write')('PUT', `/cache/${cacheKeyOf('server')}`, { body: aBody() })).statusCode).toBe(201)
})
afterEach(async () => {
  await spec.close()
  rmSync(directory, { recursive: true, force: true })
})

function write(name: string, bytes: Buffer, seconds: number): void {
  const hex = cacheKeyOf(name).slice(7)
  const file = join(directory, hex.slice(0, 2), `${hex}.json`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, bytes)
  utimesSync(file, seconds, seconds)
}
const list = async (query = ''): Promise<CacheList> =>
  (await spec.sendAs('admin')('GET', `/cache/entries?tier=local${query}`)).json<CacheList>()
const keys = ({ entries }: CacheList): string[] => entries.map(({ key }) => key)

describe('the local tier', () => {
  it('is listed in meta', async () => {
    const { cache_tiers } = (await spec.sendAs(null)('GET', '/meta')).json<{ cache_tiers: unknown }>()
    expect(cache_tiers).toEqual([
      { id: 'server', label: 'Server', search: 'fts' },
      { id: 'local', label: 'Local disk', search: 'substring' },
    ])
  })

  it('lists its files, newest first, and none of the server', async () => {
    const found = await list()
    expect(keys(found)).toEqual([cacheKeyOf('new'), cacheKeyOf('opaque'), cacheKeyOf('old')])
    expect(found).toMatchObject({ truncated: false, next_cursor: null })
    expect(found.entries[0]).toMatchObject({
      created_at: '2023-11-14T22:15:00+00:00',
      last_access_at: null,
      indexed: true,
      parseable: true,
      kind: 'judge',
      model: 'n',
      empty_reason: 'blank',
    })
    expect(found.entries[1]).toMatchObject({ indexed: true, parseable: false, kind: null })
  })

  it('is filtered, ordered and paged like the server tier', async () => {
    expect(keys(await list('&kind=unparseable'))).toEqual([cacheKeyOf('opaque')])
    expect(keys(await list('&q=OLD%20ans'))).toEqual([cacheKeyOf('old')])
    expect(keys(await list('&sort=size&order=asc&limit=1'))).toEqual([cacheKeyOf('opaque')])
    const { next_cursor } = await list('&limit=1')
    expect(keys(await list(`&limit=1&cursor=${next_cursor}`))).toEqual([cacheKeyOf('opaque')])
  })

  it('is marked truncated when files exceed the limit, and omits the oldest', async () => {
    write('newest', aBody(), 1_700_000_200)
    const localCache = localDirectory(
      await openLocalCache({ directory, maxFiles: 3, maxBytes: 10_000, describe: listedMetadata, clock: () => 0 }),
    )
    const other = await openApp({ parts: () => ({ localCache }) })
    const found = (await other.sendAs('admin')('GET', '/cache/entries?tier=local')).json<CacheList>()
    expect([found.truncated, keys(found)]).toEqual([
      true,
      [cacheKeyOf('newest'), cacheKeyOf('new'), cacheKeyOf('opaque')],
    ])
    await other.close()
  })

  it('has its own facets', async () =>
    expect((await spec.sendAs('admin')('GET', '/cache/facets?tier=local')).json()).toEqual({
      kinds: [
        { value: 'judge', count: 1 },
        { value: 'provider', count: 1 },
      ],
      models: [
        { value: 'm', count: 1 },
        { value: 'n', count: 1 },
      ],
      empty_reasons: [{ value: 'blank', count: 1 }],
      total: 3,
      unindexed: 0,
      unparseable: 1,
    }))

  it('shows a file in full', async () => {
    const detail = (name: string, query = '') =>
      spec.sendAs('read')('GET', `/cache/entries/${cacheKeyOf(name)}?tier=local${query}`)
    expect((await detail('old')).json()).toMatchObject({
      output: 'an old answer',
      model: 'm',
      raw: null,
      last_access_at: null,
    })
    expect((await detail('old', '&raw=true')).json()).toMatchObject({ raw: { id: 1 } })
    expect((await detail('server')).statusCode).toBe(404)
    write('large', Buffer.alloc(20_000), 1)
    expect((await detail('large')).statusCode).toBe(404)
  })

  it('is not pruned', async () => {
    expect((await spec.sendAs('admin')('POST', '/cache/prune?older_than_days=0&target_bytes=0')).json()).toEqual({
      pruned: 1,
    })
    expect((await list()).entries).toHaveLength(3)
    expect((await spec.sendAs('admin')('DELETE', `/cache/entries/${cacheKeyOf('old')}`)).statusCode).toBe(404)
  })
})
