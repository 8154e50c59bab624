import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { engineServer } from '../../../cli/client/engine-server.ts'
import { objectText } from '../../../cli/client/answer.ts'
import { enginePorts } from '../../../cli/suite/engine-ports.ts'
import { UsageError } from '../../../engine/json.ts'

const NEVER = new AbortController().signal

describe('the ports of a run', () => {
  let server: Server
  const listen = async (listener: RequestListener): Promise<string> => {
    server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  afterEach(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  it('reach shared caches and the service through the proxy of the environment', async () => {
    const proxy = await listen(
      ({ method, url }, response) => void response.end(JSON.stringify({ proxied: `${method} ${url}` })),
    )
    const env = { HTTP_PROXY: proxy }
    const cached = await enginePorts(env).fetch('http://cache.test/k')
    expect(await cached.json()).toEqual({ proxied: 'GET http://cache.test/k' })
    const { client } = engineServer('http://service.test', env, NEVER)
    expect(await client.once('/meta', {}, (answer) => objectText(answer))).toBe(
      '{"proxied":"GET http://service.test/api/v1/meta"}',
    )
  })

  it('refuse a proxy that cannot be used, for the service too', async () => {
    const url = await listen((_, response) => void response.end())
    expect(() => enginePorts({ HTTP_PROXY: 'proxy.corp:3128' })).toThrow(UsageError)
    expect(() => engineServer(url, { HTTP_PROXY: 'proxy.corp:3128' }, NEVER)).toThrow(UsageError)
  })

  it('send bytes and texts as fetch does, and return status, headers and body', async () => {
    const url = await listen((request, response) => {
      void text(request).then((body) => {
        response.writeHead(201, { 'x-a': '1', 'content-encoding': 'gzip' })
        const { 'content-length': length, 'x-b': b } = request.headers
        response.end(gzipSync(JSON.stringify([request.method, length, b, body])))
      })
    })
    const { fetch } = enginePorts({})
    for (const body of ['bytes', Buffer.from('bytes')]) {
      const response = await fetch(url, { method: 'PUT', headers: { 'x-b': '2' }, body })
      expect([response.status, response.statusText, response.headers.get('x-a')]).toEqual([201, 'Created', '1'])
      expect(await response.json()).toEqual(['PUT', '5', '2', 'bytes'])
    }
  })

  it.each([204, 304, 302])('return the status %i as it is', async (status) => {
    const url = await listen((_, response) => void response.writeHead(status, { location: '/elsewhere' }).end())
    const response = await enginePorts({}).fetch(url, { redirect: 'manual' })
    expect([response.status, await response.text()]).toEqual([status, ''])
  })

  it('end the connection of a body that is not read', async () => {
    const closed = Promise.withResolvers<void>()
    const url = await listen((request, response) => {
      request.socket.on('close', () => closed.resolve())
      response.write('start')
    })
    const response = await enginePorts({}).fetch(url)
    await response.body?.cancel()
    await closed.promise
    expect(response.status).toBe(200)
  })

  it('reject with the reason of a signal, and where the connection or the body is cut', async () => {
    const url = await listen((request, response) => {
      if (request.url === '/cut')
        response.writeHead(200, { 'content-length': '9' }).write('a', () => response.destroy())
      else if (request.url === '/none') request.socket.destroy()
    })
    const { fetch } = enginePorts({})
    const ended = new AbortController()
    const waiting = fetch(url, { signal: ended.signal })
    const reason = new Error('the run ends')
    ended.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(fetch(`${url}/none`)).rejects.toMatchObject({ code: 'ECONNRESET' })
    await expect((await fetch(`${url}/cut`)).text()).rejects.toThrow()
  })
})
