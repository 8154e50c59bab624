import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CacheUnavailable } from '../../../engine/cache/client.ts'
import { httpCacheClient } from '../../../engine/cache/http-client.ts'
import { TOKENS, type SpecApp } from '../../support/servers/app.ts'
import { appOpener } from '../../support/servers/opening-apps.ts'

const KEY = `sha256:${'0'.repeat(64)}`
const ALL = Uint8Array.from({ length: 256 }, (_, i) => i)
const open = appOpener()

describe('httpCacheClient', () => {
  let spec: SpecApp
  let url: string
  beforeEach(async () => {
    spec = await open()
    url = await spec.app.listen({ host: '127.0.0.1', port: 0 })
  })
  const client = (token: string | undefined = TOKENS.write) => httpCacheClient({ url: `${url}/`, token, fetch })

  it('returns the stored bytes unchanged', async () => {
    expect(await client().put(KEY, ALL)).toBe(true)
    expect(await client().get(KEY)).toEqual(ALL)
  })

  it('keeps the first entry of a key', async () => {
    await client().put(KEY, ALL)
    expect(await client().put(KEY, Buffer.from('second'))).toBe(false)
    expect(await client().get(KEY)).toEqual(ALL)
  })

  it('stores the first of many concurrent puts', async () => {
    const stored = await Promise.all(
      Array.from({ length: 20 }, (_, i) => client().put(KEY, Buffer.from(`writer ${i}`))),
    )
    expect(stored.filter(Boolean)).toHaveLength(1)
    expect(Buffer.from((await client().get(KEY)) ?? []).toString()).toBe(`writer ${stored.indexOf(true)}`)
  })

  it('returns null for a key that was never stored', async () => expect(await client().get(KEY)).toBeNull())

  it('reports a missing or insufficient credential', async () => {
    await expect(client(TOKENS.read).put(KEY, ALL)).rejects.toThrow(/answers 403: insufficient scope/)
    await expect(client('').get(KEY)).rejects.toThrow(/answers 401/)
  })

  it('reports a body that is too large', async () =>
    expect(client().put(KEY, new Uint8Array(4_194_305))).rejects.toThrow(/answers 413/))

  it('rejects anything but cache keys', async () => {
    await expect(client().get('stats')).rejects.toThrow(TypeError)
    await expect(client().put('../runs', ALL)).rejects.toThrow(TypeError)
  })

  it('stops when it is aborted', async () =>
    expect(client().get(KEY, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough'))
})

describe('httpCacheClient behind a proxy', () => {
  let server: Server | null = null
  afterEach(() => {
    server?.closeAllConnections()
    server?.close()
    server = null
  })
  const clientOf = async (listener: RequestListener) => {
    server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return httpCacheClient({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      token: undefined,
      fetch,
    })
  }

  it('does not follow a redirect', async () => {
    const client = await clientOf((_, response) => void response.writeHead(302, { location: '/elsewhere' }).end())
    await expect(client.put(KEY, ALL)).rejects.toThrow(/answers 302/)
  })

  it('reports one line of an unknown error response', async () => {
    const client = await clientOf((_, response) => void response.writeHead(502).end('Bad gateway\n<html>'))
    await expect(client.get(KEY)).rejects.toThrow(/answers 502: Bad gateway$/)
  })

  it('reports a body that ends early', async () => {
    const client = await clientOf((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half')
      setImmediate(() => response.destroy())
    })
    await expect(client.get(KEY)).rejects.toThrow(CacheUnavailable)
  })

  it('reports a server that cannot be reached', async () => {
    const client = await clientOf(() => {})
    server?.closeAllConnections()
    await new Promise((resolve) => server?.close(resolve))
    await expect(client.get(KEY)).rejects.toThrow(/cannot be reached: .*ECONNREFUSED/)
  })
})
