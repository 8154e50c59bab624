import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { createHttpClient } from '../../../cli/suite/http-client.ts'
import { UsageError } from '../../../engine/json.ts'
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

  /** A server that ends the idle connections of a client with a reset, which the client finds when it writes. */
  const resettable = async (listener: RequestListener) => {
    const sockets = new Set<Socket>()
    const { url } = await listen((request, response) => {
      sockets.add(request.socket)
      listener(request, response)
    })
    return { url, sockets, reset: () => void sockets.forEach((socket) => void socket.resetAndDestroy()) }
  }

  it('keeps a connection open, and sends a request again that could not be written to it', async () => {
    let requests = 0
    const { url, sockets, reset } = await resettable((_, response) => void response.end(`done ${++requests}`))
    const http = createHttpClient({})
    expect(await textOf(await http(url, { ...INIT, signal: NEVER }))).toBe('done 1')
    expect(await textOf(await http(url, { ...INIT, signal: NEVER }))).toBe('done 2')
    expect(sockets.size).toBe(1)
    reset()
    expect(await textOf(await http(url, { ...INIT, signal: NEVER }))).toBe('done 3')
    expect(sockets.size).toBe(2)
  })

  it('sends a request again whose connection was closed before it was written', async () => {
    const opened: Socket[] = []
    const onOpened = (message: unknown): void => void opened.push((message as { socket: Socket }).socket)
    subscribe('net.client.socket', onOpened)
    const held: ServerResponse[] = []
    const { url } = await listen((_, response) => {
      // The first two are answered together, so that two connections are idle afterwards.
      if (held.push(response) === 2) for (const each of held) each.end('done')
      else if (held.length > 2) response.end('again')
    })
    const http = createHttpClient({})
    await Promise.all([1, 2].map(async () => textOf(await http(url, { ...INIT, signal: NEVER }))))
    unsubscribe('net.client.socket', onOpened)
    // Closed, but not yet removed from the idle ones.
    opened[1]?.destroy()
    expect(await textOf(await http(url, { ...INIT, signal: NEVER }))).toBe('again')
    opened[0]?.destroy()
    expect(await textOf(await http(url, { ...INIT, signal: NEVER }))).toBe('again')
    expect(held).toHaveLength(4)
  })

  it.each(['destroy', 'resetAndDestroy'] as const)(
    'never sends a request twice that the server has read: %s',
    async (end) => {
      let requests = 0
      const { url } = await listen((request, response) => {
        request.resume().on('end', () => {
          requests++
          if (requests === 2) request.socket[end]()
          else response.end('done')
        })
      })
      const http = createHttpClient({})
      expect(await textOf(await http(url, { ...INIT, signal: NEVER }))).toBe('done')
      await expect(http(url, { ...INIT, signal: NEVER })).rejects.toMatchObject({ code: 'ECONNRESET' })
      expect(requests).toBe(2)
    },
  )

  it('reports a connection that is closed before any response', async () => {
    const { url } = await listen((request) => void request.socket.destroy())
    await expect(createHttpClient({})(url, { ...INIT, signal: NEVER })).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('sends a declared header in place of its own, however its name is spelled', async () => {
    const { url } = await listen((request, response) => void response.end(JSON.stringify(request.rawHeaders)))
    const declared: Array<[string, string]> = [
      ['Host', 'gateway.test'],
      ['ACCEPT', 'text/plain'],
      ['Accept-Encoding', 'identity'],
      ['Content-Length', '5'],
      ['x-a', '1'],
      ['X-A', '2'],
    ]
    const response = await createHttpClient({})(url, { ...INIT, headers: declared, signal: NEVER })
    const sent = JSON.parse(await textOf(response)) as string[]
    const pairs = sent.flatMap((name, index) => (index % 2 === 0 ? [[name, sent[index + 1]]] : []))
    expect(pairs.filter(([name]) => name !== 'Connection')).toEqual([
      ['Host', 'gateway.test'],
      ['ACCEPT', 'text/plain'],
      ['Accept-Encoding', 'identity'],
      ['Content-Length', '5'],
      ['x-a', '1'],
      ['x-a', '2'],
    ])
  })

  it('asks for the certificate of the address, also where another `host` is declared', async () => {
    const hello = Promise.withResolvers<string>()
    const { url, server } = await listen(() => {})
    server.removeAllListeners('connection').on('connection', (socket: Socket) => {
      socket.once('data', (data) => {
        hello.resolve(data.toString('latin1'))
        socket.destroy()
      })
    })
    const secure = new URL(`https://localhost:${url.port}/`)
    const http = createHttpClient({})
    await expect(http(secure, { ...INIT, headers: [['Host', 'gateway.test']], signal: NEVER })).rejects.toThrow()
    const sent = await hello.promise
    expect(['localhost', 'gateway.test'].filter((name) => sent.includes(name))).toEqual(['localhost'])
  })

  describe('with a proxy', () => {
    const TARGET = new URL('http://api.test/v1')

    it('sends every request through it, also one that is sent again', async () => {
      const direct = await listen((_, response) => void response.end('direct'))
      const proxy = await resettable((request, response) => void response.end(`proxied ${request.url}`))
      const http = createHttpClient({ HTTP_PROXY: proxy.url.origin, NO_PROXY: '' })
      const call = async () => textOf(await http(direct.url, { ...INIT, signal: NEVER }))
      expect(await call()).toBe(`proxied ${direct.url.href}`)
      expect(await call()).toBe(`proxied ${direct.url.href}`)
      proxy.reset()
      expect(await call()).toBe(`proxied ${direct.url.href}`)
      expect(await call()).toBe(`proxied ${direct.url.href}`)
      expect(proxy.sockets.size).toBeGreaterThan(1)
    })

    it.each(['HTTP_PROXY', 'http_proxy'])('sends it the user and the password in %s', async (name) => {
      const { url } = await listen(({ headers }, response) => void response.end(headers['proxy-authorization']))
      const http = createHttpClient({ [name]: `http://user:pass%20word@${url.host}` })
      const sent = await textOf(await http(TARGET, { ...INIT, signal: NEVER }))
      expect(sent).toBe(`Basic ${Buffer.from('user:pass word').toString('base64')}`)
    })

    it('sends a request past it whose host NO_PROXY names', async () => {
      const { url } = await listen((_, response) => void response.end('direct'))
      const http = createHttpClient({ HTTP_PROXY: 'http://proxy.test', NO_PROXY: '127.0.0.1' })
      expect(await textOf(await http(url, { ...INIT, signal: NEVER }))).toBe('direct')
    })

    it.each([
      ['HTTP_PROXY', 'proxy.corp:3128'],
      ['http_proxy', 'socks5://proxy.corp:1080'],
      ['HTTPS_PROXY', '//proxy.corp'],
      ['https_proxy', 'http://'],
      ['https_proxy', 'http://user:100%@proxy.corp'],
    ])('refuses %s=%s without a quote of it', (name, value) => {
      expect(() => createHttpClient({ [name]: value })).toThrow(
        new UsageError(
          `${name} must be an http or https URL, such as http://proxy.example:3128; special characters in its password are percent-encoded`,
        ),
      )
    })

    it('takes a variable as unset that is empty, or that the one in lower case replaces', () => {
      expect(() => createHttpClient({ HTTP_PROXY: '', https_proxy: ' ' })).not.toThrow()
      expect(() => createHttpClient({ HTTP_PROXY: 'proxy.corp', http_proxy: 'http://proxy.corp' })).not.toThrow()
    })
  })
})
