import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { createHttpClient } from '../../../cli/suite/http-client.ts'
import type { HttpResponse } from '../../../engine/ports.ts'

const servers: Server[] = []
const listen = async (listener: RequestListener): Promise<{ readonly url: URL; readonly server: Server }> => {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`), server }
}
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const INIT = {
  method: 'POST',
  headers: [['x-a', '1']] as Array<[string, string]>,
  body: 'hello',
  redirect: 'manual',
} as const
const NEVER = new AbortController().signal
const textOf = async ({ body }: HttpResponse): Promise<string> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of body ?? []) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('the HTTP client of the command line', () => {
  it('sends method, headers and body, and returns status, headers and body', async () => {
    const { url } = await listen((request, response) => {
      const chunks: Buffer[] = []
      request
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          response.writeHead(418, { 'x-b': ['2', '3'], location: '/elsewhere' })
          const { 'x-a': a, host, 'content-length': length } = request.headers
          response.end(JSON.stringify([request.method, request.url, a, host, length, Buffer.concat(chunks).toString()]))
        })
    })
    const response = await createHttpClient({})(url, { ...INIT, signal: NEVER })
    expect([response.status, response.ok]).toEqual([418, false])
    expect(response.headers.get('X-B')).toBe('2, 3')
    expect(Object.fromEntries(response.headers)).toMatchObject({ location: '/elsewhere' })
    expect(JSON.parse(await textOf(response))).toEqual(['POST', '/x', '1', url.host, '5', 'hello'])
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('decodes a body of coding %s', async (coding, compress) => {
    const { url } = await listen((request, response) => {
      expect(request.headers['accept-encoding']).toContain(coding)
      response.writeHead(200, { 'content-encoding': coding }).end(compress('plain'))
    })
    expect(await textOf(await createHttpClient({})(url, { ...INIT, signal: NEVER }))).toBe('plain')
  })

  it('reports a damaged body, and one that ends too soon', async () => {
    const { url } = await listen((request, response) => {
      if (request.headers['x-a'] === 'cut') {
        response.writeHead(200, { 'content-length': '100' })
        response.write('start', () => request.socket.destroy())
      } else response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')
    })
    const http = createHttpClient({})
    await expect(http(url, { ...INIT, signal: NEVER }).then(textOf)).rejects.toThrow()
    await expect(http(url, { ...INIT, headers: [['x-a', 'cut']], signal: NEVER }).then(textOf)).rejects.toThrow()
  })

  it('rejects with the reason of its signal, before the response and in its body', async () => {
    const { url } = await listen((request, response) => {
      if (request.headers['x-a'] === 'body') response.writeHead(200).write('start')
    })
    const http = createHttpClient({})
    const reason = new Error('the run ends')
    const ended = new AbortController()
    const waiting = http(url, { ...INIT, signal: ended.signal })
    const inBody = new AbortController()
    const response = await http(url, { ...INIT, headers: [['x-a', 'body']], signal: inBody.signal })
    ended.abort(reason)
    inBody.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(textOf(response)).rejects.toThrow()
    await expect(http(url, { ...INIT, signal: ended.signal })).rejects.toBe(reason)
  })

  it('keeps a connection open, and sends a request again whose connection the server closed meanwhile', async () => {
    const sockets = new Set<Socket>()
    let requests = 0
    const { url } = await listen((request, response) => {
      requests++
      sockets.add(request.socket)
      // The second request on the first connection finds it closed.
      if (requests === 2) request.socket.resetAndDestroy()
      else response.end('done')
    })
    const http = createHttpClient({})
    expect(await textOf(await http(url, { ...INIT, signal: NEVER }))).toBe('done')
    expect(await textOf(await http(url, { ...INIT, signal: NEVER }))).toBe('done')
    expect([requests, sockets.size]).toEqual([3, 2])
  })

  it('reports a connection that is closed before any response', async () => {
    const { url } = await listen((request) => void request.socket.destroy())
    await expect(createHttpClient({})(url, { ...INIT, signal: NEVER })).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('uses the proxy of the environment', async () => {
    const { url: proxy } = await listen((request, response) => void response.end(`proxied ${request.url}`))
    const http = createHttpClient({ HTTP_PROXY: proxy.origin, NO_PROXY: '' })
    const response = await http(new URL('http://api.test/v1'), { ...INIT, signal: NEVER })
    expect(await textOf(response)).toBe('proxied http://api.test/v1')
  })
})
