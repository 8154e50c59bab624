import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cacheLocationOf } from '../../storage/open/cache.ts'
import { openSharedCache, startSharedCache } from '../../runtime/cache/open-cache.ts'
import { aBody, cacheKeyOf } from '../support/documents/cache-bodies.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'

const KEY = cacheKeyOf('a')

const ask = ({ url, token }: RunningServer, method: string, path: string, body?: Buffer | string): Promise<Response> =>
  fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)) }),
  })

it('deleting the cache of a state directory loses only the cache', async () => {
  const first = await startServer()
  expect((await ask(first, 'PUT', `/cache/${KEY}`, aBody())).status).toBe(201)
  expect(
    (await ask(first, 'POST', '/runs', JSON.stringify(aDocument({ run_id: 'r', cases: [aCase({ cache_key: KEY })] }))))
      .status,
  ).toBe(201)
  expect(Buffer.from(await (await ask(first, 'GET', `/cache/${KEY}`)).arrayBuffer())).toEqual(aBody())
  expect(await (await ask(first, 'GET', '/cache/entries?q=hello')).json()).toMatchObject({ entries: [{ key: KEY }] })
  await first.stop({ keep: true })

  rmSync(join(first.dataDir, 'cache.db'))
  const second = await startServer({ dataDir: first.dataDir })
  expect((await ask(second, 'GET', `/cache/${KEY}`)).status).toBe(404)
  expect(await (await ask(second, 'GET', `/cache/entries/${KEY}/runs`)).json()).toMatchObject({
    cases: [{ run_id: 'r' }],
  })
  expect((await ask(second, 'GET', '/runs/r')).status).toBe(200)
  expect((await ask(second, 'PUT', `/cache/${KEY}`, aBody())).status).toBe(201)
  expect(await (await ask(second, 'POST', '/cache/prune?target_bytes=0')).json()).toEqual({ pruned: 1 })
  expect(await second.stop()).toBe(0)
  expect(second.log).toContainEqual(
    expect.objectContaining({
      msg: 'cache pruned',
      pruned: 1,
      actor: expect.objectContaining({ kind: 'static', scope: 'admin' }) as unknown,
    }),
  )
})

it.each([false, true])('a cache that cannot be used is set aside with a warning (threads: %s)', async (threads) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-cache-'))
  writeFileSync(join(dataDir, 'cache.db'), 'no database'.repeat(1000))
  const warned: string[] = []
  const options = { store: cacheLocationOf({ dataDir }), warn: (message: string) => warned.push(message) }
  const started = threads ? startSharedCache(options) : null
  await started?.whenReady
  const { sharedCache, close } = started ?? (await openSharedCache(options))
  expect(warned).toEqual(['the cache cannot be used: it is set aside and a new one is created'])
  expect(await sharedCache.put(KEY, new Uint8Array(aBody()))).toBe(true)
  await close()
  expect(existsSync(join(dataDir, 'cache.db.damaged'))).toBe(true)
  rmSync(dataDir, { recursive: true, force: true })
})
